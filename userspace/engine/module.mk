# SPDX-License-Identifier: GPL-2.0-only
USES	:= common
LIBS	:= -lrabbitmq -lpthread
TESTS	:= engine
