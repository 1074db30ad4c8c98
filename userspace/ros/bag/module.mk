# SPDX-License-Identifier: GPL-2.0-only
USES	:= base ros/msg
LIBS	:= -lsqlite3 -lzstd -llz4 -lbz2
TESTS	:= bag bag_bytes bag_others
FUZZ	:= mcap rosbag db3
