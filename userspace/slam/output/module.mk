# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/io ros/io slam/workers
FLAGS	:= $(EXACT)
LIBS	:= -lm
TESTS	:= relations occupancy submaps submap_out slam_checkpoint known_map
test_submap_out.USES := map/ros
