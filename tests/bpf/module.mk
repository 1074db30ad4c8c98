# SPDX-License-Identifier: GPL-2.0-only
FLAGS	:= $(UAPI)
PKGS	:= libbpf
TOOLS	:= test_ros_tag
