# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lcjson -linih -lsystemd -lm -lpthread
TESTS	:= settings http_parse http_server http_conn socket_path ip_addr base_text base_files \
	   loop loop_timers systemd console metrics cli log thread_pool
THREADED := http_server http_conn loop metrics thread_pool
FUZZ	:= http_parse http_auth

installed.FLAGS = -DOPTSAMPLE_LIBDIR='"$(LIBDIR)"'
$(foreach o,$(OBJECTS),$(o)/userspace/base/installed.o): $(BUILD)/.folders
test_base_files.LIBS := -Wl,--wrap=fsync,--wrap=rename
