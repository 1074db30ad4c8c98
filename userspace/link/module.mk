# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
LIBS	:= -lm
FLAGS	:= $(UAPI)
PKGS	:= libnl-3.0 libnl-route-3.0
TESTS	:= link_supervisor link_outage link_plan link_load link_pace link_device
test_link_supervisor.USES := tools/sim
test_link_outage.USES := tools/sim
test_link_device.FLAGS := $(UAPI)
