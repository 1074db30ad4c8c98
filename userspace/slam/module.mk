# SPDX-License-Identifier: GPL-2.0-only
USES	:= engine map/io readings
FLAGS	:= $(EXACT)
TESTS	:= relations occupancy submaps slam_parts slam_match slam_memory slam_filter \
	   slam_remote slam_placement slam_gmap slam_checkpoint
test_occupancy.USES := slamd
