# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lm
TOOLS	:= bus-peer bus-pingpong slam-world log-bag slam-ask
bus-peer.USES := cluster
bus-pingpong.USES := cluster
log-bag.USES := laser ros/io
slam-ask.USES := ros/io
