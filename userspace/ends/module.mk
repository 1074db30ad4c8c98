# SPDX-License-Identifier: GPL-2.0-only
USES	:= bag lab ros1c
LIBS	:= -lddsc -lcjson
TESTS	:= ends
