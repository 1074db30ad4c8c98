# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lm
PKGS	:= cairo
PROGRAMS := demo-report
