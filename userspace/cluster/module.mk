# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
LIBS	:= -lrabbitmq -lpthread
TESTS	:= bus
