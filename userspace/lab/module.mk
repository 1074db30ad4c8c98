# SPDX-License-Identifier: GPL-2.0-only
USES	:= common lib
LIBS	:= -lpng
PROGRAMS := optsample-lab
