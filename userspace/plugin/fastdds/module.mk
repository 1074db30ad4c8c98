# SPDX-License-Identifier: GPL-2.0-only
PLUGIN	:= fastdds/fastdds.so
FLAGS	:= -fvisibility=hidden
LIBS	:= -lfastrtps -lfastcdr
