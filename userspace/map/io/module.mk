# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/site ros/msg
LIBS	:= -lsqlite3 -lpng -lz -lm
PKGS	:= cairo
TESTS	:= map_figure map_file map_png geopackage import
FUZZ	:= map_file map_yaml poses_file
