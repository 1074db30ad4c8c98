/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * classes.h - which pixels of an image are no number, in few bytes
 *
 * Rows of small numbers that are mostly 0 or the same as their neighbours, with
 * an adaptive arithmetic coder. Each run of rows is decoded alone.
 */
#ifndef CODEC_IMAGE_CLASSES_H
#define CODEC_IMAGE_CLASSES_H

#include <stddef.h>
#include <stdint.h>

enum { CLASSES_MOST = 7 };

/**
 * classes_encode() - encode rows
 * @class: of each pixel, @width * @rows of them, up to CLASSES_MOST
 *
 * Return: bytes, at most @size; -ENOSPC.
 */
int classes_encode(const uint8_t *class, unsigned int width, unsigned int rows,
		   void *buf, size_t size);

/* The reverse; bytes that are missing or damaged give some classes */
void classes_decode(const void *buf, size_t size, unsigned int width,
		    unsigned int rows, uint8_t *class);

#endif
