# SPDX-License-Identifier: GPL-2.0-only
USES	:= transport slam/output
PROGRAMS := slamd
TESTS	:= slam_scan_queue slam_mapper
THREADED := slam_scan_queue slam_mapper
