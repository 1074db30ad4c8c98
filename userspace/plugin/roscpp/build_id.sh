#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build_id.sh - the roscpp to build for: build_id.h on standard output
#
# usage: build_id.sh LIBROSCPP.SO
#
# Fails if its calls of what the library replaces cannot be interposed, as
# with -Bsymbolic-functions: nothing would tell of that later.

set -eu

class=_ZN3ros23TransportSubscriberLink
relocations=$(readelf -rW "$1")
for member in 12handleHeaderERKNS_6HeaderE 17startMessageWriteEb \
	14enqueueMessageERKNS_17SerializedMessageEbb
do
	grep -q " $class$member " <<<"$relocations" || {
		echo "$1: calls $class$member directly" >&2
		exit 1
	}
done
id=$(readelf -nW "$1" | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || { echo "$1: has no build ID" >&2; exit 1; }
echo "#define ROSCPP_BUILD_ID \"$id\""
