#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutate-sampler.sh - do the unit tests notice a sampler broken by one line?
#
# Each mutation is one sed expression on a copy of sampler.h. It must change
# the file, compile, and make at least one of the unit tests fail (a crash and
# an endless loop count). Prints TAP. Needs cc only.
set -u
ulimit -c 0
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/optsample"
header=include/optsample/sampler.h

mutations=(
	's/s->cur != s->dis/s->cur < s->dis - 1/'
	's/s->cur -= s->dis;/s->cur = 0;/'
	's/if (s->dis > 1 \&\& __optsample_low(s))/if (s->dis > 2 \&\& __optsample_low(s))/'
	's/return s->len \* 100 <= s->refill/return s->len * 100 < s->refill/'
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
	's/__optsample_heap_rekey(s, prev);/;/'
	's/__optsample_heap_rekey(s, next);/;/'
	's/n->prev ? n->prev->pos : s->left/n->prev ? n->prev->pos : 0/'
	's/^\ts->left = n->pos;/\t;/'
	's/s->left = s->last - (pos - s->last);/s->left = s->last;/'
	's/^\ts->guessed = !s->len;/\ts->guessed = false;/'
	's/s->shift += s->last - pos;/;/'
	's/NUM	59U/NUM	65U/'
	's/NUM	59U/NUM	53U/'
	's/span \* (OPTSAMPLE_GAP_NUM \* tension)/span * (OPTSAMPLE_GAP_NUM * 256)/'
	's/step - hole >= hole - hole \/ 2/0/'
	's/hole(s, tail, pos) < s->root->key/hole(s, tail, pos) <= s->root->key/'
	's/^\t\ts->span = 0;/\t\t;/'
	's/^\t\t__optsample_measure(s);$/\t\t;/'
	's/s->cur += dis;/;/'
	's/s->len \* 200 <= s->refill/s->len * 100 <= s->refill/'
	's/\*evicted = s->head;/*evicted = s->tail;/'
	's/while ((span | step) >> 34)/while (0)/'
	's/if (!pressed || s->cap > s->limit)/if (!pressed)/'
	's/^\tif (s->idx == s->len)/\tif (!s->len)/'
)

n=0
failed=0
for m in "${mutations[@]}"; do
	n=$((n + 1))
	sed -e "$m" "$header" > "$tmp/optsample/sampler.h"
	verdict="not ok"
	if cmp -s "$header" "$tmp/optsample/sampler.h"; then
		why="# changes nothing"
	else
		why="# survived"
		for t in test_sampler test_sampler_bounds; do
			if ! ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -w \
				-I"$tmp" -Iinclude "tests/unit/$t.c" \
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
