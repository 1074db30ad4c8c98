# SPDX-License-Identifier: GPL-2.0-only
USES	:= fusion ros/msg
LIBS	:= -lsqlite3 -lzstd -lcjson -lpng -lz -lm -lpthread
PKGS	:= cairo
TESTS	:= layer store store_damage site site_area site_graph site_real map_file map_png \
	   geopackage
FUZZ	:= cells_blob layer_words map_file map_yaml poses_file
fuzz_layer_words.USES := gdimctl
