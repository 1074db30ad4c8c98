# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lm
PROGRAMS := engine-peer engine-pingpong slam-world log-bag
engine-peer.USES := cluster
engine-pingpong.USES := cluster
log-bag.USES := laser ros/io
