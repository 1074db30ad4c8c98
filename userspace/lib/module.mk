# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
FLAGS	:= $(EXACT)
LIBS	:= -lisal -lm
TESTS	:= paths split md depth voxel cloudblock rangeimage cloud80 tilecode tiles \
	   mappyramid velodyne vscan vscan_code laserscan blob layers
FUZZ	:= split md depth cloudblock rangeimage cloud80 tiles mappyramid velodyne \
	   vscan laserscan blob layers
test_depth.USES := lab
