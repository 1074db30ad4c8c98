# SPDX-License-Identifier: GPL-2.0-only
USES	:= slam/filter
FLAGS	:= $(EXACT)
LIBS	:= -lcholmod -lm -lpthread
TESTS	:= slam_pose_graph slam_fit_grid slam_loops slam_carried slam_adjust slam_place
THREADED := slam_loops slam_carried
test_slam_loops.USES := slam/workers
test_slam_carried.USES := slam/workers
