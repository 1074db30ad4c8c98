# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
FLAGS	:= $(EXACT)
LIBS	:= -lisal -lm
TESTS	:= blob
FUZZ	:= blob
