# SPDX-License-Identifier: GPL-2.0-only
#
# lib/space.sh - network namespaces of a test
#
# Sourced.

# delete_spaces NAME...: and the processes in them
delete_spaces()
{
	local space

	for space; do
		ip netns pids "$space" | xargs -r kill -9
		ip netns del "$space"
	done
} 2>/dev/null
