# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/layer
LIBS	:= -lsqlite3 -lzstd -lpthread
TESTS	:= store store_damage
FUZZ	:= cells_blob
