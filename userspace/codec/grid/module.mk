# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/core
FLAGS	:= $(EXACT)
LIBS	:= -lm
TESTS	:= tilecode tiles mappyramid grid_layers
FUZZ	:= tiles mappyramid layers
