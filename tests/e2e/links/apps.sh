#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# apps.sh - apps-run.sh in a guest, over recorded pictures, which are made
# smaller here
#
# usage: apps.sh STACK...

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." || exit 1
. tests/lib/guest.sh
top=$PWD
rm -rf build/pictures && mkdir build/pictures || exit
(. tests/e2e/links/pictures.sh && recorded build/pictures scale=320:240)
guest 6.1 --skip-idle --root base,dds,ros1,pictures -t 1200 -- \
	tests/e2e/links/apps-run.sh "$@"
