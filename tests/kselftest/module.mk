# SPDX-License-Identifier: GPL-2.0-only
IDL	:= yes
LIBS	:= -lddsc
TOOLS	:= clear-maps dds-writers rtps-gen
clear-maps.PKGS := libbpf
