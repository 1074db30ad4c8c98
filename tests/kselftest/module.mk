# SPDX-License-Identifier: GPL-2.0-only
IDL	:= yes
LIBS	:= -lddsc
TOOLS	:= dds-writers rtps-gen
