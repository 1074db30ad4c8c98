# SPDX-License-Identifier: GPL-2.0-only
USES	:= netdev topics base
LIBS	:= -lz
PKGS	:= libnl-3.0
FLAGS	:= $(UAPI) -iquote.
