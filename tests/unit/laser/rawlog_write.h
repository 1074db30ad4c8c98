/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rawlog_write.h - objects of MRPT, as it writes them
 */
#ifndef RAWLOG_WRITE_H
#define RAWLOG_WRITE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RAWLOG_MOST = 1 << 16 };

struct rawlog_text {
	uint8_t	data[RAWLOG_MOST];
	size_t	len;
};

static inline void rawlog_bytes(struct rawlog_text *t, const void *from,
				size_t len)
{
	if (t->len + len > sizeof(t->data))
		abort();
	memcpy(t->data + t->len, from, len);
	t->len += len;
}

/* Little-endian, as all machines that tests run on */
#define RAWLOG_PUT(t, type, value) do {					\
	const type v_ = (type)(value);					\
									\
	rawlog_bytes(t, &v_, sizeof(v_));				\
} while (0)

static inline void rawlog_end_of(struct rawlog_text *t)
{
	RAWLOG_PUT(t, uint8_t, 0x88);
}

static inline void rawlog_head(struct rawlog_text *t, const char *name,
			       uint8_t version)
{
	RAWLOG_PUT(t, uint8_t, 0x80 | strlen(name));
	rawlog_bytes(t, name, strlen(name));
	RAWLOG_PUT(t, uint8_t, version);
}

static inline void rawlog_string(struct rawlog_text *t, const char *text)
{
	RAWLOG_PUT(t, uint32_t, strlen(text));
	rawlog_bytes(t, text, strlen(text));
}

static inline void rawlog_list(struct rawlog_text *t, const char *name,
			       uint8_t version, uint32_t count)
{
	const bool frame = name[1] == 'S';

	rawlog_head(t, name, version);
	if (frame && version < 2)
		RAWLOG_PUT(t, uint32_t, 7);
	if (frame && !version)
		RAWLOG_PUT(t, uint64_t, 7);
	RAWLOG_PUT(t, uint32_t, count);
}

static inline void rawlog_pose2d(struct rawlog_text *t, double x, double y,
				 double yaw)
{
	rawlog_head(t, "mrpt::poses::CPose2D", 1);
	RAWLOG_PUT(t, double, x);
	RAWLOG_PUT(t, double, y);
	RAWLOG_PUT(t, double, yaw);
	rawlog_end_of(t);
}

/* At 0.2, 0, 0.1, turned by 0.5 rad. @up: 1; -1: upside down; 0: on its side */
static inline void rawlog_laser(struct rawlog_text *t, uint8_t version, int up)
{
	const double c = cos(0.5), s = sin(0.5);
	const double m[12] = {
		c, -s * up, 0, 0.2, s, c * up, 0, 0, 0, 0, up, 0.1,
	};
	const double q[2][4] = {
		{ cos(0.25), 0, 0, sin(0.25) }, { 0, cos(0.25), sin(0.25), 0 },
	};
	const double side[4] = { M_SQRT1_2, M_SQRT1_2, 0, 0 };

	rawlog_head(t, "CPose3D", version);
	if (version < 2) {
		const double last[4] = { 0, 0, 0, 1 };

		rawlog_head(t, "CMatrixD", 0);
		RAWLOG_PUT(t, uint32_t, 4);
		RAWLOG_PUT(t, uint32_t, 4);
		rawlog_bytes(t, m, sizeof(m));
		rawlog_bytes(t, last, sizeof(last));
		rawlog_end_of(t);
	} else {
		RAWLOG_PUT(t, double, 0.2);
		RAWLOG_PUT(t, double, 0);
		RAWLOG_PUT(t, double, 0.1);
		if (version == 2)
			rawlog_bytes(t, up ? q[up < 0] : side, sizeof(side));
		for (int i = 0; i < 9 && version == 3; i++)
			RAWLOG_PUT(t, double, m[i / 3 * 4 + i % 3]);
	}
	rawlog_end_of(t);
}

/* Three beams of 1, 2 and 3 m from -1 to 1 rad; from version 1 on the second one
 * is not valid
 */
static inline void rawlog_scan_of(struct rawlog_text *t, const char *label,
				  uint8_t version, uint64_t stamp, int up)
{
	rawlog_head(t, "CObservation2DRangeScan", version);
	RAWLOG_PUT(t, float, 2);
	RAWLOG_PUT(t, uint8_t, 1);
	RAWLOG_PUT(t, float, 80);
	rawlog_laser(t, version < 3 ? 1 : version < 7 ? 2 : 3, up);
	if (version < 6) {
		rawlog_head(t, "CMatrix", 0);
		RAWLOG_PUT(t, uint32_t, 1);
		RAWLOG_PUT(t, uint32_t, 1);
		RAWLOG_PUT(t, float, 0);
		rawlog_end_of(t);
	}
	RAWLOG_PUT(t, uint32_t, 3);
	for (int i = 1; i <= 3; i++)
		RAWLOG_PUT(t, float, i);
	for (int i = 1; i <= 3 && version; i++)
		RAWLOG_PUT(t, uint8_t, i != 2);
	if (version >= 2)
		RAWLOG_PUT(t, float, 0.01);
	if (version >= 3)
		RAWLOG_PUT(t, uint64_t, stamp);
	if (version >= 4)
		RAWLOG_PUT(t, float, 0.01);
	if (version >= 5) {
		rawlog_string(t, label);
		RAWLOG_PUT(t, double, 0);
	}
	if (version >= 7) {
		RAWLOG_PUT(t, uint8_t, 1);
		for (int i = 0; i < 3; i++)
			RAWLOG_PUT(t, int32_t, i);
	}
	if (version >= 8)
		RAWLOG_PUT(t, float, 0);
	rawlog_end_of(t);
}

static inline void rawlog_odometry_of(struct rawlog_text *t, uint8_t version,
				      uint64_t stamp, double x)
{
	rawlog_head(t, "mrpt::obs::CObservationOdometry", version);
	rawlog_pose2d(t, x, 0, 0);
	rawlog_string(t, "ODOMETRY");
	RAWLOG_PUT(t, uint64_t, stamp);
	if (version == 2) {
		RAWLOG_PUT(t, uint8_t, 0);
		RAWLOG_PUT(t, uint8_t, 1);
		for (int i = 0; i < 3; i++)
			RAWLOG_PUT(t, double, i);
	}
	rawlog_end_of(t);
}

static inline void rawlog_action(struct rawlog_text *t, uint8_t version,
				 double x, double yaw)
{
	rawlog_head(t, "CActionRobotMovement2D", version);
	RAWLOG_PUT(t, uint32_t, 0);
	rawlog_pose2d(t, x, 0, yaw);
	RAWLOG_PUT(t, uint32_t, 0);
	for (int i = 0; i < 6; i++)
		RAWLOG_PUT(t, float, 0.1);
	RAWLOG_PUT(t, uint32_t, 300);
	for (int i = 0; i < (version < 5 ? 4 : 6); i++)
		RAWLOG_PUT(t, float, 0.1);
	RAWLOG_PUT(t, uint8_t, 0);
	if (version < 7)
		RAWLOG_PUT(t, uint64_t, 0);
	RAWLOG_PUT(t, uint8_t, 1);
	RAWLOG_PUT(t, uint64_t, 0);
	if (version >= 6)
		RAWLOG_PUT(t, uint64_t, 0);
	rawlog_end_of(t);
}

static inline void rawlog_comment(struct rawlog_text *t, const char *text)
{
	rawlog_head(t, "CObservationComment", 0);
	rawlog_string(t, text);
	RAWLOG_PUT(t, uint64_t, 0);
	rawlog_end_of(t);
}

#endif
