#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# link.sh - the robot's radio, within its network namespace: up or down
#
# A token bucket: what is on its way when the link goes stays in the queue and
# arrives late, as from a radio that keeps trying. No packet is lost.

case $1 in
ready) exit ;;
up) rate="rate 54mbit burst 32kb" ;;
down) rate="rate 8bit burst 1600" ;;
esac
tc qdisc replace dev v0 root handle 1: tbf $rate limit 64mb || exit
# the queue looks at its new rate when the next packet comes
[ "$1" = down ] || ping -c 1 -W 1 10.77.0.2 >/dev/null || true
