# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
SRCS	:= $(filter-out $(if $(CYCLONE),%/no_discovery.c,%/discovery.c %/formats.c %/locators.c),$(SRCS)) \
	userspace/ros/msg/topic_format.c
LIBS	:= -lcjson $(call if_with,CYCLONE,-lddsc) -lxmlrpc_client -lxmlrpc -lxmlrpc_util -lz -lm
PKGS	:= libnl-3.0 libnl-route-3.0 libnl-genl-3.0 libbpf
FLAGS	:= $(UAPI)
IDL	:= $(CYCLONE)
PROGRAMS := optsample
TESTS	:= odometer topic_format
