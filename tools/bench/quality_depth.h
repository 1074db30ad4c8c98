/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quality_depth.h - what is known of depth images at equal loss
 */
#ifndef BENCH_QUALITY_DEPTH_H
#define BENCH_QUALITY_DEPTH_H

/**
 * quality_depth() - a table for an image of 16 bit: the codec of depths next
 * to that of images
 * @masks: of losses, for each figure
 *
 * Return: 0, or a negative errno after one line about it.
 */
int quality_depth(const char *path, unsigned int masks);

#endif
