/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * browser_frame.h - pictures, clouds, maps and scans as the page draws them
 *
 * A frame, little endian: u8 type, u8 flags, u16 0, u32 topic, f64 t, f64
 * arrival (ms since the epoch, in the operator's clock), then
 *	picture	u16 width, u16 height (of the original), u32 0, a JPEG or PNG
 *	scan	f32 x, y, yaw of the sensor in the map (NaN: unknown), f32
 *		angle_min, angle_increment, u32 n, f32 range[n] (m, NaN: none)
 *	cloud	u32 n, f32 min[3], f32 step[3], u16 xyz[3 n], u8 intensity[n]
 *	map	u32 width, height, f32 resolution, x, y, yaw of the lower left
 *		corner, f32 low, high: values that 0 and 100 stand for, char
 *		layer[32] of a grid map, filled with zeros, int8 cells as a zlib
 *		stream, lowest row first, -1: unknown
 */
#ifndef VIEW_BROWSER_FRAME_H
#define VIEW_BROWSER_FRAME_H

#include "base/pose.h"
#include "view/view_message.h"

enum browser_frame_type {
	FRAME_PICTURE = 1, FRAME_SCAN, FRAME_CLOUD, FRAME_MAP,
};

enum { FRAME_KEPT = 1, FRAME_AT = 2 };

enum {
	FRAME_HEAD	= 24,
	FRAME_SIDE	= 1280,		/* pixels; more are reduced */
	FRAME_POINTS	= 40000,	/* of a cloud; more are thinned */
	FRAME_QUALITY	= 80,		/* of JPEG */
};

/* Type of a frame for a kind, or 0: none */
unsigned int browser_frame_type(enum message_kind kind);

/* @flags: FRAME_KEPT, FRAME_AT */
void browser_frame_head(uint8_t head[FRAME_HEAD], const struct view_message *m,
			unsigned int flags);

/**
 * browser_frame_fault() - why browser_frame_body() failed
 * @err:	what it returned
 * @text:	gets a part of a sentence
 * @size:	of it, bytes; longer text is cut
 */
void browser_frame_fault(const struct view_message *m, int err, char *text,
			 size_t size);

/**
 * browser_frame_body() - what follows the head
 * @at:		pose of the sensor in the map, for scans; NULL: unknown
 * @out:	gets a message with the body as its data, and all else of @m
 *
 * Takes milliseconds for pictures and clouds.
 *
 * Return: 0; -EOPNOTSUPP: no frame for this kind or encoding; -EBADMSG:
 * damaged; -ENOMEM.
 */
int browser_frame_body(const struct view_message *m, const struct pose *at,
		       struct view_message **out);

#endif
