# SPDX-License-Identifier: GPL-2.0-only
IDL	:= yes
LIBS	:= -lddsc -lz -lm
PROGRAMS := image-pub image-sub dds-pub dds-sub fastdds-pub fastdds-sub app-report
fastdds-pub.LIBS := -lfastrtps -lfastcdr
fastdds-sub.LIBS := -lfastrtps -lfastcdr
