# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/bag map/io
PROGRAMS := gdimctl
FUZZ	:= view_records

$(OBJ)/userspace/gdimctl/view_page.o: $(wildcard userspace/gdimctl/view*.html \
	userspace/gdimctl/view*.js)
