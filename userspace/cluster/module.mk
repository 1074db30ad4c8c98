# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
SRCS	:= $(if $(RABBITMQ),$(SRCS),$(filter-out %/amqp.c %/broker.c,$(SRCS)))
LIBS	:= $(call if_with,RABBITMQ,-lrabbitmq) -lpthread
TESTS	:= bus
THREADED := bus
bus.FLAGS := $(if $(RABBITMQ),,-DWITHOUT_RABBITMQ)
