# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/core
FLAGS	:= $(EXACT)
LIBS	:= -lm
TESTS	:= voxel cloudblock rangeimage cloud80
FUZZ	:= cloudblock rangeimage cloud80
test_rangeimage.USES := formats
test_cloud80.USES := formats
test_cloudblock.USES := formats
test_voxel.USES := formats
