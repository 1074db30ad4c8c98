# SPDX-License-Identifier: GPL-2.0-only
SRCS	:=
LIBS	:= -lm
TESTS	:= sampler sampler_bounds sync group
test_group.FLAGS := $(UAPI)
