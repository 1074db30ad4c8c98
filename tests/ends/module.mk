# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/io
IDL	:= yes
LIBS	:= -lfastrtps -lfastcdr
FLAGS	:= -Itests/gdim
PROGRAMS := service-node service-peer ends-copy fastdds-client
