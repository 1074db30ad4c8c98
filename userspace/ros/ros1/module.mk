# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
LIBS	:= -lxmlrpc -lxmlrpc_util
TESTS	:= ros1c ros1_node ros1_peers
FUZZ	:= ros1c

# a clock that the test moves on
test_ros1_node.LIBS := -Wl,--wrap=clock_gettime
test_ros1_peers.LIBS := -Wl,--wrap=clock_gettime,--wrap=getaddrinfo,--wrap=freeaddrinfo,--wrap=gethostname
