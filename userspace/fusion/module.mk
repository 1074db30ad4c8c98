# SPDX-License-Identifier: GPL-2.0-only
USES	:= common lib
FLAGS	:= $(EXACT)
LIBS	:= -lm -lpthread
TESTS	:= fusion
