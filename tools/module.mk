# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
FLAGS	:= -Itools
PROGRAMS := optsample-sim udp-link link-sim link-watch hwsim-medium demo-report
optsample-sim.USES := tools/sim
link-sim.USES := tools/link.d
link-watch.USES := tools/link.d
link-watch.LIBS := -lcjson
hwsim-medium.PKGS := libnl-3.0 libnl-genl-3.0
hwsim-medium.FLAGS := $$(pkg-config --cflags libnl-genl-3.0)
demo-report.USES := tools/demo.d
