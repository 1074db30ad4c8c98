#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# page.sh - the page of optsample-view in a browser, through an outage
#
# The steps are in page.py. Prints TAP.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
. "$top/tests/lib/tap.sh"
trap 'rm -rf -- "$scratch"' EXIT

without=$(cd "$top/tools/demo" && PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import page_shot
print(page_shot.missing() or "")') || without='python3'
[ -z "$without" ] || skip_all "no $without"
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/page.py" \
	"${BIN:-$top/build/bin}" "$scratch"
