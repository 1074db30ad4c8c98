# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/bag formats ros/ros1
LIBS	:= -lddsc -lcjson
TESTS	:= io playback
