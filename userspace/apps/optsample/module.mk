# SPDX-License-Identifier: GPL-2.0-only
USES	:= apps/optsample/doctor netdev topics base
LIBS	:= -lcjson
PKGS	:= libnl-3.0 libbpf
FLAGS	:= $(UAPI) -iquote.
PROGRAMS := optsample
HELPERS := optsample-discover
