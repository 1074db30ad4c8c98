# SPDX-License-Identifier: GPL-2.0-only
USES	:= cluster slam/filter
FLAGS	:= $(EXACT)
TESTS	:= slam_remote slam_speed slam_own_map slam_follower slam_late slam_balance slam_coordinator slam_pool slam_wire
THREADED := slam_pool slam_late
FUZZ	:= worker
