#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# native.sh - test_ros_tag with this machine's kernel, which lets only root load
# the classifier

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
if [ "$(id -u)" = 0 ]; then
	exec build/bin/test_ros_tag
fi
printf '%s\n' "ok 1 # SKIP BPF_PROG_TEST_RUN needs root" 1..1
