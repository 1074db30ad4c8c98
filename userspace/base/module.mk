# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lcjson -linih -lsystemd -lm -lpthread
TESTS	:= settings http_parse http_server http_conn socket_path ip_addr base_text base_files \
	   loop loop_timers systemd console metrics cli log
THREADED := http_server http_conn loop metrics
FUZZ	:= http_parse http_auth

installed.FLAGS = -DOPTSAMPLE_LIBDIR='"$(LIBDIR)"'
$(foreach o,$(OBJECTS),$(o)/userspace/base/installed.o): $(BUILD)/.folders
test_base_files.LIBS := -Wl,--wrap=fsync,--wrap=rename
