/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vscan_body.h - the loops of vscan.c, in vectors of LANES floats
 *
 * Included once for each set of instructions, with LANES and NAME(), which
 * makes the functions' names unique, defined. Every lane does the same as the
 * reference, in the same order, whatever LANES is.
 */
typedef float NAME(vfloat)
	__attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t NAME(vint)
	__attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint16_t NAME(vword)
	__attribute__((vector_size(2 * LANES), aligned(2), may_alias));
#define vfloat	NAME(vfloat)
#define vint	NAME(vint)
#define vword	NAME(vword)

/* As vscan_bin(vscan_atan2(@y, @x)) */
static __always_inline void NAME(to_bins)(const vfloat *y, const vfloat *x,
					  uint16_t *bins)
{
	vfloat zero = { 0 }, ax = ABS(*x), ay = ABS(*y), t, s, a;
	vint wide = ax > ay, here = wide | (ay > 0), bin;

	t = IF(here, SELECT(wide, ay, ax) /
		     SELECT(here, SELECT(wide, ax, ay), zero + 1));
	s = t * t;
	a = ((((ATAN_9 * s + ATAN_7) * s + ATAN_5) * s + ATAN_3) * s +
	     ATAN_1) * t;
	a = SELECT(ay >= ax, (float)M_PI_2 - a, a);
	a = SELECT(*x < 0, (float)M_PI - a, a);
	a = SELECT(*y < 0, -a, a);
	a = (a + (float)M_PI) * (float)(VSCAN_BINS / (2 * M_PI));
	/* NaN: 0 */
	bin = __builtin_convertvector(IF(a < VSCAN_BINS, a), vint);
	*(vword *)bins = __builtin_convertvector(bin, vword);
}

/* Undo roll and pitch of a point; gives its distance and bin */
static __always_inline void NAME(undo_tilt)(const struct vscan_level *l,
					    const vfloat *x, const vfloat *y,
					    vfloat *z, vfloat *rho,
					    uint16_t *bins)
{
	vfloat lx = l->xx * *x + l->xy * *y + l->xz * *z;
	vfloat ly = l->yy * *y + l->yz * *z;
	vfloat square = lx * lx + ly * ly;

	*z = l->zx * *x + l->zy * *y + l->zz * *z;
	for (int k = 0; k < LANES; k++)
		(*rho)[k] = sqrtf(square[k]);
	NAME(to_bins)(&ly, &lx, bins);
}

/* A strip of a ring: ranges to distances and heights */
static __always_inline void NAME(level_ring)(struct vscan *v,
					     const struct organised *in,
					     const struct vscan_params *p,
					     const struct vscan_level *l,
					     const struct ring *ring,
					     unsigned int r, unsigned int c)
{
	unsigned int n = in->columns - c < STRIP ? in->columns - c : STRIP;
	bool plain = vscan_is_plain(p), boxed = p->box[0] != p->box[1];
	uint16_t raw[STRIP] = { 0 };

	memcpy(raw, in->range + (size_t)r * in->columns + c,
	       n * sizeof(*raw));
	for (int i = 0; i < STRIP; i += LANES) {
		vint count = __builtin_convertvector(*(vword *)(raw + i),
						     vint);
		vfloat range = __builtin_convertvector(count, vfloat) *
			       in->unit;
		vfloat rho = range * ring->cosine, z = range * ring->sine;
		vint keep = ~(range < p->gate);

		if (!plain) {
			vfloat x = rho * LOAD(v->cosine + c + i);
			vfloat y = rho * -LOAD(v->sine + c + i);

			if (boxed)
				keep &= ~((x >= p->box[0]) & (x <= p->box[1]) &
					  (y >= p->box[2]) & (y <= p->box[3]));
			if (l->tilted)
				NAME(undo_tilt)(l, &x, &y, &z, &rho,
						v->bin + at(v, r, c + i));
		}
		STORE(v->z[r] + i, z + p->height);
		STORE(v->rho[r] + i, IF(keep & ~(rho <= 0), rho));
	}
}

/*
 * Follow a strip of columns outwards, from the lowest ring up: @rg and @zg are
 * distance and height of the last ground
 */
static __always_inline void NAME(follow_ring)(struct vscan *v,
					      const struct vscan_params *p,
					      float *rg, float *zg,
					      unsigned int r, unsigned int c)
{
	const float *rho = v->rho[r], *z = v->z[r];
	size_t to = at(v, r, c);

	for (int i = 0; i < STRIP; i += LANES) {
		vfloat q = LOAD(rho + i), h = LOAD(z + i);
		vfloat above = LOAD(rho + STRIP + i);
		vfloat rise = LOAD(z + STRIP + i) - h;
		vfloat last = LOAD(zg + i), up = ABS(h - last);
		vfloat far = q - LOAD(rg + i);
		vint here = q > 0;
		vint foot = (above > 0) &
			    (ABS(above - q) < VSCAN_FOOT * rise);
		vint ground = here & (far > 0) &
			      (up <= p->band + p->band_slope * q) &
			      (up <= p->slope * far + p->step) & ~foot;
		vint solid = here & ~ground;
		vint object = solid & ~(h > p->ceiling);
		vint low = object & (h < p->robot) &
			   (h > last + p->clearance);
		vfloat none = (vfloat){ 0 } + INFINITY;

		STORE(v->object + to + i, IF(object, q));
		STORE(v->solid + to + i, IF(solid, q));
		STORE(v->inverse + to + i, 1 / SELECT(solid, q, none));
		STORE(v->low + to + i, SELECT(low, q, none));
		STORE(rg + i, SELECT(ground, q, LOAD(rg + i)));
		STORE(zg + i, SELECT(ground, h, last));
	}
}

/* By pointers: the ABI of vector arguments depends on the CPU */
static __always_inline void NAME(or_straight)(vint *yes, const float *inverse,
					      const vfloat *q, int k,
					      float spread, float most)
{
	vfloat left = LOAD(inverse - k), right = LOAD(inverse + k);
	vfloat off = (left + right) * spread - LOAD(inverse);

	*yes |= (left > 0) & (right > 0) & (*q * *q * ABS(off) <= most);
}

static __always_inline void NAME(or_near)(vint *yes, const float *object,
					  const vfloat *q, const vfloat *most)
{
	vfloat other = LOAD(object);

	*yes |= (other > 0) & (ABS(other - *q) <= *most);
}

static __always_inline void NAME(find_planes)(struct vscan *v,
					      const struct vscan_params *p,
					      float spread, float spread_far,
					      unsigned int r, unsigned int c)
{
	const float *object = v->object + at(v, r, c);
	const float *inverse = v->inverse + at(v, r, c);
	float *planar = v->planar + at(v, r, c);
	int ring = v->stride;

	for (int i = 0; i < STRIP; i += LANES) {
		vfloat q = LOAD(v->solid + at(v, r, c) + i);
		vfloat most = p->upright + p->upright_slope * q;
		vint upright = { 0 }, straight = { 0 };

		NAME(or_near)(&upright, object + i - 2 * ring, &q, &most);
		NAME(or_near)(&upright, object + i - ring, &q, &most);
		NAME(or_near)(&upright, object + i + ring, &q, &most);
		NAME(or_near)(&upright, object + i + 2 * ring, &q, &most);
		NAME(or_straight)(&straight, inverse + i, &q, VSCAN_SPAN,
				  spread, p->straight);
		NAME(or_straight)(&straight, inverse + i, &q, VSCAN_SPAN_FAR,
				  spread_far, p->straight);
		STORE(planar + i, IF((q > 0) & upright & straight, q));
	}
}

static __always_inline void NAME(work)(struct vscan *v,
				       const struct organised *in,
				       const struct vscan_params *p)
{
	struct vscan_level level = vscan_level(p);
	float spread = vscan_spread(in, VSCAN_SPAN);
	float spread_far = vscan_spread(in, VSCAN_SPAN_FAR);
	struct ring ring[ORGANISED_RINGS];
	float rg[STRIP], zg[STRIP];

	for (unsigned int r = 0; r < v->rings; r++) {
		float w = in->elevation[r] * (float)(M_PI / 18000);

		ring[r] = (struct ring){ cosf(w), sinf(w) };
	}
	for (unsigned int c = 0; c < v->columns; c += STRIP) {
		for (unsigned int r = 0; r < v->rings; r++) {
			NAME(level_ring)(v, in, p, &level, &ring[r], r, c);
		}
		memset(v->rho[v->rings], 0, sizeof(v->rho[0]));
		memset(rg, 0, sizeof(rg));
		memset(zg, 0, sizeof(zg));
		for (unsigned int r = 0; r < v->rings; r++)
			NAME(follow_ring)(v, p, rg, zg, r, c);
	}
	close_circle(v);
	for (unsigned int r = 0; r < v->rings; r++)
		for (unsigned int c = 0; c < v->columns; c += STRIP)
			NAME(find_planes)(v, p, spread, spread_far, r, c);
}

#undef vfloat
#undef vint
#undef vword
