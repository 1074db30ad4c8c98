# SPDX-License-Identifier: GPL-2.0-only
USES	:= transport slam
PROGRAMS := slamd
TESTS	:= submap_out slam_waiting slam_mapper
test_submap_out.USES := gdimd
