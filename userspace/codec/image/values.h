/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - images of numbers as images of 16 bit
 *
 * A pixel is @offset + @step * code. Offset and step are those that the frame
 * needs: the coarsest usual step on which all of its numbers lie, so that they
 * stay exact; otherwise its range in 65535 steps. What is no number has no
 * code but a class: NaN, the infinities, and lone values far outside of the
 * range of all others, as some cameras write for "nothing seen".
 */
#ifndef CODEC_IMAGE_VALUES_H
#define CODEC_IMAGE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	VALUES_SPECIAL	= 6,		/* classes at most */
	VALUES_CODES	= 65535,	/* largest code */
};

/* Of what precision the numbers are */
enum values_type { VALUES_INTEGER, VALUES_FLOAT, VALUES_DOUBLE };

/**
 * struct values_scale - what codes and classes stand for
 * @offset, @step: finite; of code 0, and from code to code
 * @least:	smallest code of a number
 * @exact:	no number is changed by it
 * @specials:	classes in use; class k > 0 is @special[k - 1]
 */
struct values_scale {
	double		offset, step;
	unsigned int	least;
	bool		exact;
	unsigned int	specials;
	double		special[VALUES_SPECIAL];
};

/**
 * struct values_range - what numbers there are
 * @min, @max:	of those that are finite and not 0; both 0: there are none
 * @nothing:	NaN, infinite or 0
 * @nan:	NaN
 */
struct values_range {
	double	min, max;
	size_t	nothing, nan;
};

struct values_range values_range(const double *v, size_t n);

/**
 * values_measure() - the scale of a frame
 *
 * Return: 0; -ERANGE: integers that need more than 65536 steps, or numbers whose
 * distance is not finite.
 */
int values_measure(const double *v, size_t n, enum values_type type,
		   struct values_scale *s);

/**
 * values_depths() - the scale of distances, of which 0 is none
 * @step: of all of them that are positive; 0: the one that the frame needs
 *
 * Code 0 is of no distance: its classes are the kinds of that. Numbers must
 * not be negative.
 */
void values_depths(const double *v, size_t n, enum values_type type,
		   double step, struct values_scale *s);

/**
 * values_pack() - codes and classes of numbers
 * @code: of pixels with a class: 0
 * @class: 0: a number
 *
 * A number that is no multiple of the step is rounded, and s->exact cleared.
 */
void values_pack(const double *v, size_t n, enum values_type type,
		 struct values_scale *s, uint16_t *code, uint8_t *class);

/**
 * values_fill() - codes for pixels with a class, between those beside them
 *
 * For codecs to which an edge costs much: pixels with a class are not shown.
 */
void values_fill(uint16_t *code, const uint8_t *class, unsigned int width,
		 unsigned int height);

/* The number of a pixel */
static inline double values_number(const struct values_scale *s, uint16_t code,
				   uint8_t class)
{
	return class && class <= s->specials ? s->special[class - 1] :
	       s->offset + s->step * code;
}

#endif
