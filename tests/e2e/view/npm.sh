#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# npm.sh - the packages of package.json, into build/npm
#
# Does nothing, and needs no network, when they are there. Where they cannot be
# had, says why in one line and fails.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
to=$top/build/npm
wanted=$(cat "$here/package.json" "$here/package-lock.json" | sha256sum)

command -v node >/dev/null || { echo "no node"; exit 1; }
node -e 'process.exitCode = +(parseInt(process.versions.node) < 18)' ||
	{ echo "node $(node --version) is older than 18"; exit 1; }
[ "$(cat "$to/.wanted" 2>/dev/null)" != "$wanted" ] || exit 0
command -v npm >/dev/null || { echo "no npm"; exit 1; }
mkdir -p "$to" && cp "$here/package.json" "$here/package-lock.json" "$to" &&
	cd "$to" || exit 1
# no program of a package runs; a package that was fetched once is not again
npm ci --no-audit --no-fund --ignore-scripts --prefer-offline \
	--omit-lockfile-registry-resolved --fetch-retries 1 \
	>"$to/log" 2>&1 </dev/null ||
	{ echo "npm: $(grep -m 1 -i error "$to/log")"; exit 1; }
echo "$wanted" >"$to/.wanted"
