# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/cloud
FLAGS	:= $(EXACT)
LIBS	:= -lm
TESTS	:= vscan vscan_code laserscan
FUZZ	:= vscan laserscan
test_vscan.USES := formats
test_vscan_code.USES := formats
