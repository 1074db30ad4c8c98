# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lcjson -linih -lmicrohttpd -lsystemd -lm -lpthread
TESTS	:= settings
