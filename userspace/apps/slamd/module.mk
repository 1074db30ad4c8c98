# SPDX-License-Identifier: GPL-2.0-only
USES	:= transport slam/output slam/graph
PROGRAMS := slamd
TESTS	:= slam_scan_queue slam_mapper slam_tf_ahead
THREADED := slam_scan_queue slam_mapper
