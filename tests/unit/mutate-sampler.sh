#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutate-sampler.sh - do the unit tests notice a sampler broken by one line?
#
# Each mutation is one sed expression on copies of sampler.h and its heap. It
# must change one, compile, and make at least one of the unit tests fail (a crash and
# an endless loop count). Prints TAP. Needs cc only.
set -u
ulimit -c 0
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/optsample"
headers=(include/optsample/sampler{,_heap}.h)

mutations=(
	's/s->cur != s->dis/s->cur < s->dis - 1/'
	's/s->cur -= s->dis;/s->cur = 0;/'
	's/if (s->dis > 1 \&\& __optsample_low(s))/if (s->dis > 2 \&\& __optsample_low(s))/'
	's/return s->len \* scale <= s->refill/return s->len * scale < s->refill/'
	's/POLICY_2SAMPLE ? 200 : 100/POLICY_2SAMPLE ? 100 : 100/'
	's/POLICY_GAP ? 300 :/POLICY_GAP ? 200 :/'
	's/^\ts->idx++;/\ts->idx += 2;/'
	's/^\ts->idx++;$/\t;/'
	's/s->dis \*= 2;/s->dis += 2;/'
	's/^\ts->cursor = s->head;$/\ts->cursor = s->head ? s->head->next : NULL;/'
	's/n->seq < s->cursor->seq/n->seq > s->cursor->seq/'
	's/^\t\ts->idx--;/\t\t;/'
	's/^\tif (n == s->cursor)$/\tif (0)/'
	's/^\t\ts->cap = s->limit;$/\t\t;/'
	's/^\t\ts->cap++;/\t\t;/'
	's/s->cap = s->len;/s->cap = s->len - 1;/'
	's/a->key < b->key ||/a->key > b->key ||/'
	's/a->seq < b->seq/a->seq > b->seq/'
	's/b->sibling = a->child;/b->sibling = NULL;/'
	's/a->child->back = b;/;/'
	's/n->sibling->back = n->back;/;/'
	's/__optsample_hole_changed(s, prev);/;/'
	's/__optsample_hole_changed(s, next);/;/'
	's/n->prev ? n->prev->pos : s->left/n->prev ? n->prev->pos : 0/'
	's/^\ts->left = n->pos;/\t;/'
	's/s->left = s->last - (pos - s->last);/s->left = s->last;/'
	's/^\ts->guessed = !s->len;/\ts->guessed = false;/'
	's/s->shift += s->last - pos;/;/'
	's/NUM	43U/NUM	47U/'
	's/NUM	43U/NUM	39U/'
	's/WINDOW	4U/WINDOW	3U/'
	's/thirds = 3 \* dist + pos - s->before;/thirds = 3 * dist;/'
	's/4 \* s->gaps - 5 : 4/4 * s->gaps - 4 : 4/'
	's/4 \* s->gaps - 5 : 4/4 * s->gaps - 5 : 3/'
	's/if (__optsample_ge(dist, 2, hole, 3))/if (0)/'
	's/if (s->done && __optsample_ge(dist, 2, hole, 1)/if (s->done/'
	's/if (s->done && __optsample_ge(dist, 2/if (__optsample_ge(dist, 2/'
	's/__optsample_ge(s->went, 17, hole/__optsample_ge(s->went, 16, hole/'
	's/s->went, 3 \* tension/s->went, 2 * tension/'
	's/^\t\t\t       8 \* tension)/\t\t\t       9 * tension)/'
	's/return fill \* (2 \* OPTSAMPLE_GAP_FULL - fill)/return fill * OPTSAMPLE_GAP_FULL/'
	's/if (!s->done++)/if (s->done++ == 1)/'
	's/^\t\ts->mark = s->half;/\t\t;/'
	's/^\t\ts->half = s->last;/\t\t;/'
	's/^\t\ts->done = 0;/\t\t;/'
	's/^\ts->done = 0;/\t;/'
	's/^\ts->before = s->last;/\t;/'
	's/hole(s, tail, pos) < s->root->key/hole(s, tail, pos) <= s->root->key/'
	's/^\t\ts->span = 0;/\t\t;/'
	's/^\t\t__optsample_measure(s);$/\t\t;/'
	's/s->cur += dis;/;/'
	's/\*evicted = s->head;/*evicted = s->tail;/'
	's/while ((a | b) >> 34)/while (0)/'
	's/if (!pressed || s->cap > s->limit)/if (!pressed)/'
	's/^\tif (s->idx == s->len)/\tif (!s->len)/'
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
	   cmp -s - <(cat "$tmp"/optsample/sampler{,_heap}.h); then
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
			# a mutant may loop for ever; this is no timing
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
