# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/io
IDL	:= yes
LIBS	:= -lfastrtps -lfastcdr
FLAGS	:= -Itests/e2e/gdim
PROGRAMS := service-node service-peer io-copy fastdds-client
