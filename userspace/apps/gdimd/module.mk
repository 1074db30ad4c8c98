# SPDX-License-Identifier: GPL-2.0-only
USES	:= base ros/io map/io
PROGRAMS := gdimd
TESTS	:= gdimd_input gdimd_files gdimd_poses
FUZZ	:= submap_message gdimd_input first_gdimd web_request
