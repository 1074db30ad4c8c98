# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/bag formats ros/ros1
LIBS	:= -lddsc -lcjson
TESTS	:= io playback ros2 ros2_service ros1_ends

# a clock that the test moves on
test_ros1_ends.LIBS := -Wl,--wrap=clock_gettime
