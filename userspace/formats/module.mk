# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/cloud codec/grid codec/image
FLAGS	:= $(EXACT)
LIBS	:= -lpng -lm
TESTS	:= velodyne formats_files
FUZZ	:= velodyne
