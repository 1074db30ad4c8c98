# SPDX-License-Identifier: GPL-2.0-only
USES	:= laser
FLAGS	:= $(EXACT)
LIBS	:= -lm -lpthread
TESTS	:= slam_moving slam_parts slam_field slam_match slam_memory slam_filter slam_doubt slam_gmap
test_slam_filter.USES := slam/output
test_slam_parts.USES := slam/output
