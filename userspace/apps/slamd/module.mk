# SPDX-License-Identifier: GPL-2.0-only
USES	:= transport slam/output slam/graph
PROGRAMS := slamd
TESTS	:= slam_scan_queue slam_mapper slam_mapper_queue slam_tf_ahead slam_services
THREADED := slam_scan_queue slam_mapper slam_mapper_queue
