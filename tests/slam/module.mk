# SPDX-License-Identifier: GPL-2.0-only
LIBS	:= -lm
PROGRAMS := engine-peer engine-pingpong slam-world log-bag
engine-peer.USES := engine
engine-pingpong.USES := engine
log-bag.USES := readings ros/io
