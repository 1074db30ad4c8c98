# SPDX-License-Identifier: GPL-2.0-only
#
# alone.sh - run a test in a network namespace; sourced first, with its "$@"

if [ -z "${ALONE:-}" ]; then
	if ! unshare --net true 2>/dev/null; then
		printf '%s\n' "ok 1 # skip no network namespaces" 1..1
		exit 0
	fi
	ALONE=1 exec unshare --net -- "$0" "$@"
fi
