#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# store.sh - the store after kill -9, after power cuts, on full and on read-only
# disks: acknowledged data are there
#
# SEED=n repeats a run, KILLS=n and CUTS=n make it longer.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
storm=${STORM:-$bin/store-storm}
seed=${SEED:-$RANDOM}
. "$top/tests/lib/tap.sh"
mounted=

cleanup()
{
	[ -z "$mounted" ] || umount "$scratch/disk"
	rm -rf -- "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# run NAME WORDS: store-storm, with its output
run()
{
	local name=$1 status said

	shift
	"$storm" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	said=$(tail -n 1 "$scratch/out")
	# ok must see this status, not that of computing the name
	[ $status = 0 ]
	ok "$name${said:+: $said}"
	sed 's/^/# /' "$scratch/err"
}

echo "# SEED=$seed"
run 'killed' kill "$scratch/killed" "${KILLS:-200}" "$seed"
run 'power cut' cut "$scratch/cut" "${CUTS:-400}" "$seed"

mkdir "$scratch/disk"
if mount -t tmpfs -o size=6m tmpfs "$scratch/disk" 2>/dev/null; then
	mounted=1
	run 'disk full' full "$scratch/disk"
	mount -o remount,ro "$scratch/disk"
	run 'read-only disk' read "$scratch/disk/store"
	umount "$scratch/disk" && mounted=
else
	for what in full read-only; do
		true
		ok "disk $what # SKIP no mounts here"
	done
fi
done_testing
