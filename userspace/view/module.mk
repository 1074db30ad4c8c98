# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/io laser
LIBS	:= -lwebsockets -lcjson -ljpeg -lm -lpthread
TESTS	:= view_board
