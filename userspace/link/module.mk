# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
LIBS	:= -lm
PKGS	:= libnl-3.0 libnl-route-3.0
TESTS	:= linkd linkd_outage linkd_plan linkd_load linkd_pace linkd_link
test_linkd.USES := tools/sim
test_linkd_outage.USES := tools/sim
