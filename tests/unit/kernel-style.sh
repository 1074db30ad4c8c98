#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel-style.sh - the module's source by the kernel's own checks: no output of
# checkpatch --strict, W=1 and sparse
#
# usage: tests/unit/kernel-style.sh [SERIES...]
#
# Prints TAP. Needs perl and sparse, and Debian's linux source, which is
# fetched once.

me=tests/unit/kernel-style.sh
cd "$(dirname -- "$0")/../.." || exit 1
top=$PWD
build=${OPTSAMPLE_BUILD:-$top/build}
. tests/lib/tap.sh
. tools/machines/linux-source.sh
[ $# != 0 ] || set -- 5.10 6.1 6.1-rt 6.12 newest

# style DIR OPTIONS FILE...: a line for each warning. The kernel's own names
# (struct Qdisc) come from its headers, unless there is a .git, hence a copy.
style()
{
	cd "$1" && shift || return
	perl "$linux_dir/src/scripts/checkpatch.pl" --no-tree \
		"--root=$linux_dir/src" --strict --terse --show-types \
		--no-summary --max-line-length=80 "$@" 2>&1 | grep -v '^$'
	cd "$top" || exit 1
}

# clean NAME: stdin is empty; otherwise it is printed
clean()
{
	sed 's/^/# /' | tee "$scratch/said"
	[ ! -s "$scratch/said" ]
	ok "$1"
}

linux_fetch
mkdir "$scratch/good" && cp -a Kbuild kernel include "$scratch/good/" || exit 1
style "$scratch/good" -f kernel/*.c kernel/{message,optsample}.h Kbuild \
	include/uapi/linux/pkt_sch_optsample.h >"$scratch/style"
# Versions, and what older ones lack, are what it is for.
style "$scratch/good" --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON \
	--ignore NEW_TYPEDEFS,MACRO_ARG_REUSE \
	-f kernel/compat.h >>"$scratch/style"
clean "checkpatch: kernel/ and the ABI" <"$scratch/style"
# These are also for user space, which has neither BIT() nor u8.
style "$scratch/good" --ignore BIT_MACRO,PREFER_KERNEL_TYPES \
	-f include/optsample/{policy_*,sampler_*,sync,tag}.h \
	>"$scratch/style"
# The list of policies is a macro of macros, unknown to checkpatch.
style "$scratch/good" --ignore BIT_MACRO,PREFER_KERNEL_TYPES \
	--ignore COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE \
	--ignore MACRO_ARG_REUSE,TRAILING_SEMICOLON \
	-f include/optsample/{policies,sampler}.h >>"$scratch/style"
clean "checkpatch: the headers that kernel/ includes" <"$scratch/style"
for series; do
	# Ignore messages about fetching it.
	tools/machines/kernel headers "$series" >/dev/null 2>&1
	{ tools/machines/kernel check "$series" || echo "not checked"; } \
		>"$scratch/check" 2>&1
	clean "W=1 and sparse: $series" <"$scratch/check"
done

# Do the checks detect errors?
bad=$scratch/bad
mv "$scratch/good" "$bad"
cat >>"$bad/kernel/message.c" <<'END'

static int optsample_bad (__be16 wire)
{
  return wire + 1;
}
END
[ "$(style "$bad" -f kernel/message.c | wc -l)" -ge 2 ]
ok "checkpatch notices a bad line"
said=$(tools/machines/kernel check 6.1 "$bad" 2>&1)
grep -q 'restricted __be16 degrades' <<<"$said" &&
	grep -q 'optsample_bad.* defined but not used' <<<"$said"
ok "sparse and W=1 notice a bad function"
rm -rf "$build"/module/6.1-check-bad*
done_testing
