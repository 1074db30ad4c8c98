# SPDX-License-Identifier: GPL-2.0-only
PLUGIN	:= tc/q_optsample.so
FLAGS	:= $(UAPI)
PKGS	:= libbpf
