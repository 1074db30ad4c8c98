# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
PKGS	:= libnl-3.0 libnl-route-3.0 libnl-genl-3.0 libbpf
FLAGS	:= $(UAPI) -iquote.
