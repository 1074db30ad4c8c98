# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
LIBS	:= -lcjson -lddsc -lxmlrpc_client -lxmlrpc -lxmlrpc_util -lz -lm
PKGS	:= libnl-3.0 libnl-route-3.0 libnl-genl-3.0 libbpf
FLAGS	:= $(UAPI)
IDL	:= yes
PROGRAMS := optsample
TESTS	:= odometer
