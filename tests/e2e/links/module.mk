# SPDX-License-Identifier: GPL-2.0-only
IDL	:= yes
LIBS	:= -lddsc -lz -lm
TOOLS	:= image-pub image-sub dds-pub dds-sub fastdds-pub fastdds-sub app-report
fastdds-pub.LIBS := $(FASTDDS_LIBS)
fastdds-sub.LIBS := $(FASTDDS_LIBS)
