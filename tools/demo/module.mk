# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lm
PKGS	:= cairo
TOOLS	:= demo-report
