# SPDX-License-Identifier: GPL-2.0-only
USES	:= linkd
FLAGS	:= -Itools
PKGS	:= cairo
