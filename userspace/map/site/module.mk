# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/store
LIBS	:= -lcjson -lm -lpthread
TESTS	:= site site_queries site_memory site_area site_graph site_peaks site_real
THREADED := site
test_site_real.USES := map/io
