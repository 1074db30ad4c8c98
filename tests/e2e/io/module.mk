# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/io
IDL	:= yes
LIBS	:= $(FASTDDS_LIBS)
FLAGS	:= -Itests/e2e/gdim
TOOLS	:= service-node service-peer io-copy fastdds-client
