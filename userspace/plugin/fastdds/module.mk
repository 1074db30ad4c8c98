# SPDX-License-Identifier: GPL-2.0-only
PLUGIN	:= $(call if_with,FASTDDS,fastdds/fastdds.so)
FLAGS	:= -fvisibility=hidden
LIBS	:= $(FASTDDS_LIBS)
