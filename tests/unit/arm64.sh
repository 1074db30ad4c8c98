#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64.sh - unit tests of code for NEON, built for arm64 and run by qemu-user
#
# As built for release, and with checks for undefined behaviour and alignment.
# Only sources that need no library but libc. Prints TAP.

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lib/tap.sh

cross=aarch64-linux-gnu-
checks='-fsanitize=undefined,alignment -fno-sanitize-recover=all'
folders='base laser ros/bag ros/msg cluster slam/workers slam/output
	slam/filter map/fusion codec/core codec/cloud codec/image codec/grid
	codec/scan formats'
libraries='jpeglib|png|zstd|lz4frame|bzlib|zlib|sqlite3|amqp[a-z_]*|ini'
libraries+='|microhttpd|cJSON|cjson/.*|isa-l/.*|systemd/.*'

for tool in "${cross}gcc" "${cross}ar" qemu-aarch64; do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done

# objects DIRECTORY FLAGS: those of sources that need no library
objects()
{
	local folder file list=()

	for folder in $folders; do
		for file in userspace/"$folder"/*.c; do
			grep -qE "include <($libraries)\.h>" "$file" ||
				list+=("$1/obj/${file%.c}.o")
		done
	done
	make -s -k -j"$(nproc)" BUILD="$1" CC="${cross}gcc" CFLAGS="$2" \
		"${list[@]}" >>"$1.log" 2>&1
	find "$1/obj/userspace" -name '*.o' \
		-exec "${cross}ar" rcs "$1/all.a" {} +
}

# try KIND FLAGS TEST: builds and runs tests/unit/TEST.c
try()
{
	local to=$scratch/$1 name=${3##*/}

	make -s BUILD="$to" CC="${cross}gcc" CFLAGS="$2" \
		"$to/obj/tests/unit/$3.o" >>"$to.log" 2>&1 &&
		"${cross}gcc" $2 -o "$to/$name" "$to/obj/tests/unit/$3.o" \
			"$to/all.a" -lm -lpthread >>"$to.log" 2>&1
	ok "$name, $1: builds" || {
		tail -n 5 "$to.log" | sed 's/^/# /'
		return
	}
	qemu-aarch64 -L /usr/aarch64-linux-gnu "$to/$name" >"$to.out" 2>&1
	ok "$name, $1: passes" ||
		grep -E '^not ok|runtime error' "$to.out" | sed 's/^/# /'
}

for kind in plain checked; do
	flags='-O2 -g'
	[ $kind = plain ] || flags="-O1 -g $checks"
	mkdir -p "$scratch/$kind"
	objects "$scratch/$kind" "$flags"
	for name in slam/filter/test_slam_match slam/filter/test_slam_gmap \
		    codec/cloud/test_voxel codec/image/test_split \
		    codec/grid/test_mappyramid codec/scan/test_vscan \
		    map/fusion/test_fusion; do
		try $kind "$flags" $name
	done
done

done_testing
