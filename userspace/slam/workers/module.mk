# SPDX-License-Identifier: GPL-2.0-only
USES	:= cluster slam/filter
FLAGS	:= $(EXACT)
TESTS	:= slam_remote slam_balance slam_wire
FUZZ	:= worker
