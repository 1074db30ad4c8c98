# SPDX-License-Identifier: GPL-2.0-only
USES	:= base link
LIBS	:= -lpng -lm
PKGS	:= cairo
PROGRAMS := optsample-sim
TOOLS	:= udp-link link-sim link-watch hwsim-medium robot-drive
link-watch.LIBS := -lcjson
robot-drive.USES := ros/bag ros/msg
hwsim-medium.PKGS := libnl-3.0 libnl-genl-3.0
hwsim-medium.FLAGS := $$(pkg-config --cflags libnl-genl-3.0)
robot_camera.FLAGS := -fno-math-errno -fno-trapping-math
