# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/bag map/io
PROGRAMS := gdimctl
FUZZ	:= view_records

$(OBJ)/userspace/apps/gdimctl/view_page.o: $(wildcard userspace/apps/gdimctl/view*.html \
	userspace/apps/gdimctl/view*.js)
