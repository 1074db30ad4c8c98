#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutate-sampler.sh - do the unit tests detect a sampler with one broken line?
#
# Each mutation is one sed expression on copies of sampler.h and its parts. It
# must change one, compile, and make at least one of the unit tests fail (a
# crash or an endless loop counts). Prints TAP. Needs only cc.
set -u
ulimit -c 0
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/optsample"
headers=(include/optsample/{policies,policy_*,sampler*}.h)

mutations=(
	# policies.h, sampler.h
	's/X(GAP, gap, "gap"/X(GAP, optsample, "gap"/'
	's/X(2SAMPLE, 2sample, "2sample"/X(2SAMPLE, optsample, "2sample"/'
	's/^\t\ts->cap++;/\t\t;/'
	's/^\t\ts->cap = s->limit;$/\t\t;/'
	's/s->cap = s->len;/s->cap = s->len - 1;/'
	's/^\ts->left = n->pos;/\t;/'
	's/s->left = s->last - (pos - s->last);/s->left = s->last;/'
	's/^\t\ts->guessed = true;/\t\t;/'
	's/^\t\ts->guessed = false;/\t\t;/'
	's/s->shift += s->last - pos;/;/'
	's/^\ts->done = 0;/\t;/'
	's/^\ts->before = s->last;/\t;/'
	's/if (!pressed || s->cap > s->limit)/if (!pressed)/'
	's/s->priv\[i\] = 0;/;/'
	# sampler_core.h
	's/s->len \* 100 \* part <= s->refill/s->len * 100 * part < s->refill/'
	'/__optsample_emptied(struct/,/^}/s/s->cap = s->limit;/;/'
	'/__optsample_emptied(struct/,/^}/s/s->sampled = false;/;/'
	'/__optsample_del(struct/,/^}/s/s->tail = prev;/;/'
	'/__optsample_pop(struct/,/^}/s/__optsample_emptied(s);/;/'
	# sampler_heap.h
	's/a->key < b->key ||/a->key > b->key ||/'
	's/a->seq < b->seq/a->seq > b->seq/'
	's/b->sibling = a->child;/b->sibling = NULL;/'
	's/a->child->back = b;/;/'
	's/n->sibling->back = n->back;/;/'
	# sampler_sweep.h
	's/w->cur -= w->dis;/w->cur = 0;/'
	's/w->dis \*= 2;/w->dis += 2;/'
	'/__optsample_sweep_double(struct/,/^}/s/w->prev = NULL;/w->prev = s->head;/'
	's/__optsample_sweep(s)->prev = next;/;/'
	's/__optsample_sweep(s)->prev = next;/__optsample_sweep(s)->prev = next->next ? next->next : next;/'
	's/^\tif (n == w->prev)$/\tif (0)/'
	's/w->prev = n->prev;/w->prev = n->next;/'
	's/w->prev = n->prev;/w->prev = NULL;/'
	's/if (n->next \&\& !w->prev)/if (!w->prev)/'
	's/if (n->next \&\& !w->prev)/if (n->next)/'
	's/if (n->next \&\& !w->prev)/if (0)/'
	's/through = n == s->tail;/through = !n->prev;/'
	# policy_optsample.h, policy_2sample.h
	's/w->cur != w->dis/w->cur < w->dis - 1/'
	's/if (w->dis > 1 \&\& __optsample_low(s))/if (w->dis > 2 \&\& __optsample_low(s))/'
	's/if (w->dis > 1 \&\& __optsample_2sample_low(s))/if (w->dis > 2 \&\& __optsample_2sample_low(s))/'
	's/__optsample_low_at(s, 2)/__optsample_low_at(s, 1)/'
	's/w->cur += dis;/;/'
	# policy_gap.h
	's/__optsample_low_at(s, 3)/__optsample_low_at(s, 2)/'
	's/__optsample_gap_hole_changed(s, prev);/;/'
	's/__optsample_gap_hole_changed(s, next);/;/'
	's/n->prev ? n->prev->pos : s->left/n->prev ? n->prev->pos : 0/'
	's/NUM	43U/NUM	47U/'
	's/NUM	43U/NUM	39U/'
	's/WINDOW	4U/WINDOW	3U/'
	's/thirds = 3 \* dist + s->last - s->before;/thirds = 3 * dist;/'
	's/4 \* g->gaps - 5 : 4/4 * g->gaps - 4 : 4/'
	's/4 \* g->gaps - 5 : 4/4 * g->gaps - 5 : 3/'
	's/if (__optsample_gap_ge(dist, 2, hole, 3))/if (0)/'
	's/if (s->done && __optsample_gap_ge(dist, 2, hole, 1)/if (s->done/'
	's/if (s->done && __optsample_gap_ge(dist, 2/if (__optsample_gap_ge(dist, 2/'
	's/__optsample_gap_ge(g->went, 17, hole/__optsample_gap_ge(g->went, 16, hole/'
	's/g->went, 3 \* tension/g->went, 2 * tension/'
	's/g->span, 8 \* tension)/g->span, 9 * tension)/'
	's/return fill \* (2 \* OPTSAMPLE_GAP_FULL - fill)/return fill * OPTSAMPLE_GAP_FULL/'
	's/if (!s->done++)/if (s->done++ == 1)/'
	's/^\t\tg->mark = g->half;/\t\t;/'
	's/^\t\tg->half = s->last;/\t\t;/'
	'/__optsample_gap_remove(struct/,/^}/s/s->done = 0;/;/'
	's/hole(s, tail, s->last) < root->key/hole(s, tail, s->last) <= root->key/'
	's/^\t\tg->span = 0;/\t\t;/'
	's/^\t\t__optsample_gap_measure(s);$/\t\t;/'
	's/while ((a | b) >> 34)/while (0)/'
	# policy_drop_oldest.h, policy_drop_newest.h
	'/drop_oldest_evict(struct/,/^}/s/s->head/s->tail/'
	'/drop_newest_evict(struct/,/^}/s/s->tail/s->head/'
	's/return s->len < s->cap;/return s->len <= s->cap;/'
)

n=0
failed=0
for m in "${mutations[@]}"; do
	n=$((n + 1))
	for h in "${headers[@]}"; do
		sed -e "$m" "$h" > "$tmp/optsample/${h##*/}"
	done
	verdict="not ok"
	if cat "${headers[@]}" |
	   cmp -s - <(cat "${headers[@]/#include/$tmp}"); then
		why="# changes nothing"
	else
		why="# survived"
		for t in test_sampler test_sampler_bounds; do
			if ! ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -w \
				-I"$tmp" -Iinclude -Itests/unit "tests/unit/include/$t.c" \
				-o "$tmp/$t" -lm 2> "$tmp/log"; then
				why="# does not compile"
				verdict="not ok"
				break
			fi
			# a mutant may loop for ever; this measures no time
			if ! { timeout 60 "$tmp/$t"; } > /dev/null 2>&1; then
				verdict="ok"
				why=
				break
			fi
		done
	fi
	[ "$verdict" = ok ] || failed=1
	echo "$verdict $n - caught: $m $why"
done
echo "1..$n"
exit $failed
