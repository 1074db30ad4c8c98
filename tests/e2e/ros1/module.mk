# SPDX-License-Identifier: GPL-2.0-only
TOOLS	:= client-node ros1-pub ros1-sub test_rules
client-node.USES := ros/ros1
client-node.LIBS := -lz
ros1-pub.PKGS := roscpp
ros1-pub.LIBS := -lz
ros1-sub.PKGS := roscpp
ros1-sub.LIBS := -lz
ros1-pub.FLAGS := $$(pkg-config --cflags roscpp)
ros1-sub.FLAGS := $$(pkg-config --cflags roscpp)
test_rules.SRCS := userspace/plugin/roscpp/rules.c
