# SPDX-License-Identifier: GPL-2.0-only
USES	:= link
FLAGS	:= -Itools
PKGS	:= cairo
