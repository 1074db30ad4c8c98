# SPDX-License-Identifier: GPL-2.0-only
USES	:= base lib
LIBS	:= -lpng
PROGRAMS := optsample-lab
