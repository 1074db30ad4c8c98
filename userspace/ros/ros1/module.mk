# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
LIBS	:= -lxmlrpc -lxmlrpc_util
TESTS	:= ros1c
FUZZ	:= ros1c
