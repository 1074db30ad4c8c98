# SPDX-License-Identifier: GPL-2.0-only
USES	:= common
LIBS	:= -lcjson -linih -lmicrohttpd -lsystemd
