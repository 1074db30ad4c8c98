# SPDX-License-Identifier: GPL-2.0-only
USES	:= base ros/io map/io
LIBS	:= -lcjson -lm -lpthread
TESTS	:= map_messages
FUZZ	:= submap_message gdimd_input first_gdimd
