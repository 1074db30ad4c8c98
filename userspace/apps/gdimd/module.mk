# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/record
PROGRAMS := gdimd
TESTS	:= gdimd_config gdimd_poses gdimd_request
FUZZ	:= web_request
