# SPDX-License-Identifier: GPL-2.0-only
FLAGS	:= -Itools
LIBS	:= -lpng -lm
