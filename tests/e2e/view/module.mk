# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/bag ros/msg base
LIBS	:= -lwebsockets -lcjson -lm -lpthread
TOOLS	:= view-bag foxglove-watch bridge-in-order
