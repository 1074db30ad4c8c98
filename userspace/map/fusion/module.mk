# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
FLAGS	:= $(EXACT)
LIBS	:= -lm -lpthread
TESTS	:= fusion fused_map
