# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
SRCS	:= $(filter-out $(if $(CYCLONE),%/no_discovery.c,%/discovery.c %/formats.c %/locators.c),$(SRCS))
LIBS	:= -lcjson $(call if_with,CYCLONE,-lddsc) -lxmlrpc_client -lxmlrpc -lxmlrpc_util -lm
PKGS	:= libbpf
FLAGS	:= $(UAPI) -iquote.
IDL	:= $(CYCLONE)
TESTS	:= odometer topic_format
