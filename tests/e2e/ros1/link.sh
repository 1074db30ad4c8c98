#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# link.sh - the robot's radio, within its network namespace: up or down
#
# A token bucket: packets in flight when the link fails stay in the queue and
# arrive late, as with a radio that retries. No packet is lost.

case $1 in
ready) exit ;;
up) rate="rate 54mbit burst 32kb" ;;
down) rate="rate 8bit burst 1600" ;;
esac
tc qdisc replace dev v0 root handle 1: tbf $rate limit 64mb || exit
# a new rate only applies when the next packet arrives
[ "$1" = down ] || ping -c 1 -W 1 10.77.0.2 >/dev/null || true
