// SPDX-License-Identifier: GPL-2.0-only
/*
 * loss - loss of datagrams
 */
#include <errno.h>
#include <string.h>
#include "base/cli.h"
#include "loss.h"

/* splitmix64, by Vigna */
static double uniform(struct loss *l)
{
	uint64_t z = l->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return ((z ^ z >> 31) >> 11) * 0x1p-53;
}

void loss_init(struct loss *l, double loss, double burst, uint64_t seed)
{
	*l = (struct loss){ .state = seed, .loss = loss, .burst = burst };
	l->bad = uniform(l) < loss;
}

bool loss_next(struct loss *l)
{
	double leave = 1 / l->burst;

	if (l->loss >= 1)
		return true;
	if (l->burst * (1 - l->loss) <= 1)
		return uniform(l) < l->loss;
	/* the share of time in the bad state is @loss */
	if (l->bad)
		l->bad = uniform(l) >= leave;
	else
		l->bad = uniform(l) < leave * l->loss / (1 - l->loss);
	return l->bad;
}

unsigned int loss_pass(struct loss *l, const struct payloads *sent,
		       loss_add *add, void *decoder)
{
	unsigned int arrived = 0;

	for (unsigned int i = 0; i < sent->count; i++) {
		if (loss_next(l))
			continue;
		add(decoder, payload_at(sent, i), sent->len[i]);
		arrived++;
	}
	return arrived;
}

int parse_loss(const char *s, double *loss)
{
	size_t n = strlen(s);
	bool percent = n && s[n - 1] == '%';
	char number[32];

	if (n >= sizeof(number))
		return -EINVAL;
	memcpy(number, s, n + 1);
	if (percent)
		number[n - 1] = '\0';
	if (parse_double(number, 0, 100, loss))
		return -EINVAL;
	if (percent || *loss >= 1)
		*loss /= 100;
	return 0;
}
