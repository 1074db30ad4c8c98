# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/fusion
LIBS	:= -lm
TESTS	:= layer
FUZZ	:= layer_words
fuzz_layer_words.USES := apps/gdimctl
