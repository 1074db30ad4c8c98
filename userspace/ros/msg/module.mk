# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/cloud codec/grid codec/image
LIBS	:= -ljpeg -lpng -lz -lm
TESTS	:= message message_images service compressed
FUZZ	:= message service compressed
