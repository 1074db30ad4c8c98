#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutate.sh - does the corpus detect a classifier with one broken line?
#
# usage: tests/fuzz/mutate.sh [CORPUS]
#
# Each mutation is a file of bpf/ and a sed expression on a copy of it. It must
# change it, compile, and make an input of the corpus fail. Prints TAP. Needs
# build/bin/fuzz_corpus, and clang.
set -u
ulimit -c 0
cd "$(dirname "$0")/../.." || exit 1
corpus=${1-tests/fuzz/corpus.bin}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/tests" "$tmp/inputs"
cp -r tests/fuzz "$tmp/tests"

mutations=(
	'parse.h s/type == bpf_htons(ETH_P_8021AD)/0/'
	'parse.h s/\*type = eth\[4\];/*type = eth[2];/'
	'parse.h s/iph->ihl \* 4/20/'
	'parse.h s/next = b\[0\];$/next = 17;/'
	'parse.h s/(b\[1\] + 1) \* 8/8/'
	'parse.h s/field \& 1 ? IPV4_MF : 0/0/'
	'parse.h s/id = \*(__u32 \*)(b + 4);/id = 0;/'
	'parse.h s/if (next == IPPROTO_DSTOPTS)/if (1)/'
	'parse.h s/ || !h->payload_len//'
	'parse.h s/offsetof(struct ipv6hdr, daddr)/8/'
	'ipfrag.h s/tag->mark \& ~OPTSAMPLE_TAG_FIRST/tag->mark/'
	'ipfrag.h s/^\ttag->mark \&= ~OPTSAMPLE_TAG_LAST;/\t;/'
	'parse.h s/\*id = iph->id;/*id = 0;/'
	'ipfrag.h s/bpf_map_delete_elem(\&frags, \&key);/;/'
	'ipfrag.h s/bpf_map_delete_elem(\&frags6, \&key6);/;/'
	'parse.h s/, addrs, 32)/ + 16, addrs, 16)/'
	'rtps.h s/return b\[3\] \& 0xc0;/return 0;/'
	'rtps.h s/!s->sn || s->sn >> 63/!s->sn/'
	'rtps.h s/start - 1 + bytes_u16/start + bytes_u16/'
	'rtps.h s/s->last = end >= size;/s->last = end > size;/'
	'rtps.h s/body < 32 || //'
	'rtps.h s/body < 20/body < 0/'
	'rtps.h s/case RTPS_GAP:$/;/'
	'rtps.h s/b\[0\] >= RTPS_SEC_FIRST/b[0] > RTPS_SEC_FIRST/'
	'rtps.h s/ \&\& b\[0\] != RTPS_PAD//'
	'rtps.h s/fraction \* RTPS_NSEC >> 32/fraction/'
	'rtps.h s/ \&\& !(b\[1\] \& RTPS_FLAG_NO_TIME)//'
	'fast.h s/ || skb->gso_size)/)/'
	'fast.h s/== FAST_CYCLONE)/== 0)/'
	'fast.h s/size < RTPS_SUB_MAX)/0)/'
	'fast.h s/(__s64)s->sn <= 0 || //'
	'fast.h s/size > room || word >> 16 < 8/size > room/'
	'fast.h s/result = FAST_TRAILER;/;/'
	'fast.h s/if (end >= size)/if (end > size)/'
	'flows.h s/return same_name(\&flow->name, \&key->name) \&\&/return 1 ||/'
	'flows.h s/(daddr6 \&\& !same_addr6(r->daddr6, daddr6))/0/'
	'found.h s/f->sample \&\& f->number != number/0/'
	'found.h s/f->writer ? !same_guid(\&f->flow.name.writer, guid) : !sampled/!f->writer \&\& !sampled/'
	'walk.h s/w->cyclone \&\& w->directed \&\& s->reader/w->directed \&\& s->reader/'
	'walk.h s/w->cyclone \&\& w->directed \&\& s->reader/w->cyclone \&\& w->directed/'
	'walk.h s/w->directed = 0;/;/'
	'walk.h s/w->time = 0;/;/'
	'walk.h s/f->mixed = 1;\t\/\* with what.*/;/'
	'walk.h s/f->known \&\& kind != w->kind/0/'
	'walk.h s/f->mixed = f->writer;/;/'
	'walk.h s/if (w->off != w->stop)/if (0)/'
	'walk.h s/ || h\[4\] != 2) {/) {/'
	'walk.h s/s.version != OPTSAMPLE_SEGMENT_VERSION/0/'
	'walk.h s/(__u8 \*)\&s.count, 1);$/(__u8 *)\&s.count, 0);/'
	'walk.h s/f->more |= w->here != w->end;/;/'
	'walk.h s/h = ros_hash(h, f->flow.name.dport);/;/'
	'walk.h s/(b\[0\] == RTPS_STATISTICS \&\& w->fastdds)/b[0] == RTPS_STATISTICS/'
	'walk.h s/__builtin_memset(w->dst, 0, sizeof(w->dst));/;/'
	'rtps.h s/(RTPS_FLAG_FINAL | RTPS_FLAG_ALIVE)/RTPS_FLAG_ALIVE/'
	'rtps.h s/return ros_hash(h, bytes_word(b + 16));/return h;/'
	'rtps.h s/body >= RTPS_HEARTBEAT_BODY/1/'
	'segments.h s/>=$/>/'
	'segments.h s/s->header > size ||/0 ||/'
	'udpros.h s/b\[5\] \&\& (b\[6\] | b\[7\])/1/'
	'udpros.h s/data0 \&\& id != (__u8)state/data0/;s/if (id != (__u8)state) {/if (1) {/'
	'udpros.h s/block + 1)/block)/'
	'udpros.h s/if (id != (__u8)state)$/if (0)/'
	'position.h s/POSITION_END)$/0)/'
	'position.h s/sec >> 31 || //'
	'position.h s/nsec >= RTPS_NSEC/0/'
	'position.h s/off + sizeof(b) > limit ||$/0 ||/'
	'position.h s/return mm ? \*mm : old;/return old;/'
	'position.h s/return ns ? ns : old;/return ns;/'
	'ros_tag.bpf.c s/flow->newest - f->number >= ROS_RESTART/0/'
	'ros_tag.bpf.c s/return f->first \&\& f->flow/return f->flow/'
	'flows.h s/unsent ? ROS_RUN_UNSENT : ROS_RUN_SENT/ROS_RUN_SENT/'
	'flows.h s/count + 1 : 1;/count + 1 : count;/'
	'ros_tag.bpf.c s/f->sample \&\& !f->mixed) {/f->sample) {/'
	'ros_tag.bpf.c s/if (who->by \&\& f->first)/if (who->by)/'
	'ros_tag.bpf.c s/flow->newest = key->newest;/;/'
	'ros_tag.bpf.c s/if (!f->sample || f->mixed || f->repair ||/if (!f->sample ||/'
	'ros_tag.bpf.c s/ipfrag_forget(skb, \&ip);/;/'
	'ros_tag.bpf.c s/found_mark(f, f->profile)/found_mark(f, 0)/'
	'found.h s/? OPTSAMPLE_TAG_SELF : 0/? 0 : 0/'
)

build/bin/fuzz_corpus unpack "$corpus" "$tmp/inputs" || exit 1
sources=(fuzz_ros_tag.c kernel.c input.c ref.c ref_parse.c)
n=0 bad=0
for m in "${mutations[@]}"; do
	n=$((n + 1))
	file=${m%% *} how=${m#* }
	rm -rf "$tmp/bpf"
	cp -r bpf "$tmp"
	sed -i "$how" "$tmp/bpf/$file"
	why=
	if cmp -s "bpf/$file" "$tmp/bpf/$file"; then
		why="changes nothing"
	elif ! ${CLANG:-clang} -std=gnu11 -D_GNU_SOURCE -O1 -w \
		-fsanitize=fuzzer -I"$tmp/tests/fuzz/include" -Iinclude \
		-Iinclude/uapi -o "$tmp/fuzz" "${sources[@]/#/$tmp/tests/fuzz/}"
	then
		why="does not compile"
	elif timeout 60 "$tmp/fuzz" -runs=0 -artifact_prefix="$tmp/" \
		"$tmp/inputs" >/dev/null 2>&1; then
		why="not noticed"
	fi
	[ -z "$why" ] || bad=$((bad + 1))
	echo "${why:+not }ok $n - mutation $m${why:+: $why}"
done
echo "1..$n"
[ $bad = 0 ]
