# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/ros ros/bag
LIBS	:= -lpthread
TESTS	:= folder
