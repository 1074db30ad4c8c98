#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# page.sh - page.js, where there is node
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "${here%/tests/*}/tests/lib/tap.sh"
command -v node >/dev/null || skip_all 'no node'
rm -rf -- "$scratch"
exec node "$here/page.js"
