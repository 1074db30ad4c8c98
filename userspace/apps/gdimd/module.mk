# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/record
PROGRAMS := gdimd
TESTS	:= gdimd_config gdimd_poses gdimd_request gdimd_commands gdimd_http gdimd_input gdimd_services
FUZZ	:= web_request
