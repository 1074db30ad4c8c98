# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/io map/io
LIBS	:= $(FASTDDS_LIBS)
TOOLS	:= store-storm gdim-feed submap-writer fastdds-submap-writer gdim-bad http-load
