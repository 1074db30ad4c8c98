# SPDX-License-Identifier: GPL-2.0-only
USES	:= base lib
FLAGS	:= $(EXACT)
LIBS	:= -lm -lpthread
TESTS	:= fusion
