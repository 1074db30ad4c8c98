// SPDX-License-Identifier: GPL-2.0-only
/*
 * number - parse numbers
 *
 * 19 digits fit 64 bits; further digits are below the precision of a double.
 */
#include <math.h>
#include <stddef.h>
#include <strings.h>
#include "base/number.h"

enum {
	DIGITS		= 19,
	EXPONENT_MAX	= 9999,	/* beyond any double, without overflow */
	POWERS		= 28,	/* of 10: exact with 64 bits of mantissa */
};

/* @mantissa * 10 ^ @exponent, unless @special */
struct decimal {
	uint64_t	mantissa;
	int		exponent;
	bool		negative, special;
	double		value;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* At the end of a number. Return: the text after it, or NULL if it goes on */
static const char *number_finish(const char *p)
{
	const char *end = p;

	while (is_space(*p))
		p++;
	if (*p == ',')
		return p + 1;
	return p != end || !*p ? p : NULL;
}

static const char *read_special(const char *p, struct decimal *d)
{
	static const struct {
		const char	*name;
		size_t		len;
		double		value;
	} names[] = {
		{ "nan", 3, NAN }, { "infinity", 8, INFINITY },
		{ "inf", 3, INFINITY },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncasecmp(p, names[i].name, names[i].len))
			continue;
		d->special = true;
		d->value = d->negative ? -names[i].value : names[i].value;
		return p + names[i].len;
	}
	return NULL;
}

static const char *read_digits(const char *p, struct decimal *d)
{
	bool point = false, any = false;
	int digits = 0;

	for (;; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(*p))
			return any ? p : NULL;
		any = true;
		if (digits == DIGITS) {
			d->exponent += !point;
			continue;
		}
		d->mantissa = d->mantissa * 10 + (*p - '0');
		digits += d->mantissa != 0;
		d->exponent -= point;
	}
}

static const char *read_exponent(const char *p, struct decimal *d)
{
	bool negative;
	int e = 0;

	if (*p != 'e' && *p != 'E')
		return p;
	p++;
	negative = *p == '-';
	p += negative || *p == '+';
	if (!is_digit(*p))
		return NULL;
	for (; is_digit(*p); p++)
		if (e < EXPONENT_MAX)
			e = e * 10 + (*p - '0');
	d->exponent += negative ? -e : e;
	return p;
}

static bool read_decimal(const char **at, struct decimal *d)
{
	const char *p = *at;

	*d = (struct decimal){ 0 };
	while (is_space(*p))
		p++;
	d->negative = *p == '-';
	p += d->negative || *p == '+';
	if (is_digit(*p) || *p == '.') {
		p = read_digits(p, d);
		p = p ? read_exponent(p, d) : NULL;
	} else {
		p = read_special(p, d);
	}
	p = p ? number_finish(p) : NULL;
	if (!p)
		return false;
	*at = p;
	return true;
}

static long double power_of_ten(int n)
{
	static const long double powers[POWERS] = {
		1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L,
		1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L,
		1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L,
	};

	return n < POWERS ? powers[n] : powl(10, n);
}

static double number_value_of(const struct decimal *d)
{
	long double v = d->mantissa;

	if (d->special)
		return d->value;
	if (v != 0 && d->exponent)
		v = d->exponent < 0 ? v / power_of_ten(-d->exponent) :
				      v * power_of_ten(d->exponent);
	return d->negative ? -(double)v : (double)v;
}

bool number_read(const char **at, double *v)
{
	struct decimal d;

	if (!read_decimal(at, &d))
		return false;
	*v = number_value_of(&d);
	return true;
}

bool number_within(const char **at, double most, double *v)
{
	const char *p = *at;

	if (!number_read(&p, v) || !(fabs(*v) <= most))
		return false;
	*at = p;
	return true;
}

bool number_count(const char **at, unsigned int most, unsigned int *v)
{
	const char *p = *at;
	double d;

	if (!number_within(&p, most, &d) || d < 0 || d != floor(d))
		return false;
	*v = (unsigned int)d;
	*at = p;
	return true;
}

bool number_stamp(const char **at, int unit, int64_t *ns)
{
	const char *p = *at;
	struct decimal d;
	uint64_t n;

	if (!read_decimal(&p, &d) || d.special || (d.negative && d.mantissa))
		return false;
	n = d.mantissa;
	/* up to twenty iterations: there are no more digits */
	for (int e = d.exponent + unit; n && e > 0; e--)
		if (n > NUMBER_STAMP_MAX || __builtin_mul_overflow(n, 10, &n))
			return false;
	for (int e = d.exponent + unit; n && e < 0; e++)
		n /= 10;
	if (n > NUMBER_STAMP_MAX)
		return false;
	*ns = (int64_t)n;
	*at = p;
	return true;
}
