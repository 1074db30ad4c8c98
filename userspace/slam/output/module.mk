# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/io ros/io slam/workers slam/graph
FLAGS	:= $(EXACT)
LIBS	:= -lm
TESTS	:= relations occupancy submaps submap_out graph_out slam_checkpoint known_map
test_submap_out.USES := map/ros
test_graph_out.USES := map/ros
