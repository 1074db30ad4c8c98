# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/core
FLAGS	:= $(EXACT)
LIBS	:= -lm
TESTS	:= paths split md depth movement
FUZZ	:= split md depth
test_depth.USES := formats
