# SPDX-License-Identifier: GPL-2.0-only
IDL	:= yes
LIBS	:= -lddsc
PROGRAMS := dds-writers rtps-gen
