// SPDX-License-Identifier: GPL-2.0
/* ros_tag for a kernel without CONFIG_DEBUG_INFO_BTF, see global.h */
#define ROS_TAG_NO_BTF
#include "ros_tag.bpf.c"
