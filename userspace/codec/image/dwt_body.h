/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dwt_body.h - a transform of one type, included by dwt.c once for each
 *
 * SAMPLE is its type, NAME() makes its functions' names unique. It needs
 * NAME(analyse) and NAME(synthesise), which lift n samples in halves, each of
 * @size values.
 */

INLINE void NAME(row_forward)(SAMPLE *restrict a, unsigned int n,
			      SAMPLE *restrict t)
{
	unsigned int nl = (n + 1) / 2, nh = n / 2;

	for (unsigned int i = 0; i < nh; i++) {
		t[i] = a[2 * i];
		t[nl + i] = a[2 * i + 1];
	}
	if (nl > nh)
		t[nh] = a[n - 1];
	NAME(analyse)(t, t + nl, n, 1);
	memcpy(a, t, n * sizeof(*a));
}

INLINE void NAME(row_inverse)(SAMPLE *restrict a, unsigned int n,
			      SAMPLE *restrict t)
{
	unsigned int nl = (n + 1) / 2, nh = n / 2;

	memcpy(t, a, n * sizeof(*a));
	NAME(synthesise)(t, t + nl, n, 1);
	for (unsigned int i = 0; i < nh; i++) {
		a[2 * i] = t[i];
		a[2 * i + 1] = t[nl + i];
	}
	if (nl > nh)
		a[n - 1] = t[nh];
}

/* Row @i of @n of the image is row parted(i) of the halves */
INLINE size_t NAME(parted)(unsigned int i, unsigned int n)
{
	return i & 1 ? (n + 1) / 2 + i / 2 : i / 2;
}

/* @size columns, no more than a strip has */
INLINE void NAME(strip_forward)(SAMPLE *restrict a, size_t stride,
				unsigned int n, unsigned int size,
				SAMPLE *restrict t)
{
	for (unsigned int i = 0; i < n; i++)
		memcpy(t + NAME(parted)(i, n) * DWT_STRIP, a + i * stride,
		       size * sizeof(*a));
	NAME(analyse)(t, t + (size_t)(n + 1) / 2 * DWT_STRIP, n, DWT_STRIP);
	for (unsigned int i = 0; i < n; i++)
		memcpy(a + i * stride, t + (size_t)i * DWT_STRIP,
		       size * sizeof(*a));
}

INLINE void NAME(strip_inverse)(SAMPLE *restrict a, size_t stride,
				unsigned int n, unsigned int size,
				SAMPLE *restrict t)
{
	for (unsigned int i = 0; i < n; i++)
		memcpy(t + (size_t)i * DWT_STRIP, a + i * stride,
		       size * sizeof(*a));
	NAME(synthesise)(t, t + (size_t)(n + 1) / 2 * DWT_STRIP, n, DWT_STRIP);
	for (unsigned int i = 0; i < n; i++)
		memcpy(a + i * stride, t + NAME(parted)(i, n) * DWT_STRIP,
		       size * sizeof(*a));
}

INLINE void NAME(columns)(SAMPLE *a, unsigned int w, unsigned int h,
			  size_t stride, SAMPLE *t, const bool forward)
{
	/* columns of the last strip beyond the image are not used */
	memset(t, 0, (size_t)h * DWT_STRIP * sizeof(*t));
	for (unsigned int x = 0; x < w; x += DWT_STRIP) {
		unsigned int size = w - x < DWT_STRIP ? w - x : DWT_STRIP;

		if (forward)
			NAME(strip_forward)(a + x, stride, h, size, t);
		else
			NAME(strip_inverse)(a + x, stride, h, size, t);
	}
}

INLINE void NAME(forward)(SAMPLE *a, unsigned int w, unsigned int h,
			  size_t stride, unsigned int levels, SAMPLE *t)
{
	for (; levels--; w = (w + 1) / 2, h = (h + 1) / 2) {
		for (unsigned int y = 0; y < h; y++)
			NAME(row_forward)(a + y * stride, w, t);
		NAME(columns)(a, w, h, stride, t, true);
	}
}

INLINE void NAME(inverse)(SAMPLE *a, unsigned int w, unsigned int h,
			  size_t stride, unsigned int levels, SAMPLE *t)
{
	while (levels--) {
		/* halved, rounding up, once for each level before this */
		unsigned int wl = ((w - 1) >> levels) + 1;
		unsigned int hl = ((h - 1) >> levels) + 1;

		NAME(columns)(a, wl, hl, stride, t, false);
		for (unsigned int y = 0; y < hl; y++)
			NAME(row_inverse)(a + y * stride, wl, t);
	}
}

#if CPU_X86
static CPU_AVX2 void NAME(avx2_forward)(SAMPLE *a, unsigned int w,
					unsigned int h, size_t stride,
					unsigned int levels, SAMPLE *t)
{
	NAME(forward)(a, w, h, stride, levels, t);
}

static CPU_AVX2 void NAME(avx2_inverse)(SAMPLE *a, unsigned int w,
					unsigned int h, size_t stride,
					unsigned int levels, SAMPLE *t)
{
	NAME(inverse)(a, w, h, stride, levels, t);
}
#else
#define avx2_forward97	forward97
#define avx2_inverse97	inverse97
#define avx2_forward53	forward53
#define avx2_inverse53	inverse53
#endif
