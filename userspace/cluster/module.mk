# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
SRCS	:= $(if $(RABBITMQ),$(SRCS),$(filter-out %/amqp.c %/broker.c,$(SRCS)))
LIBS	:= $(call if_with,RABBITMQ,-lrabbitmq) -lpthread
TESTS	:= bus bus_member $(call if_with,RABBITMQ,bus_broker)
THREADED := bus
bus.FLAGS := $(if $(RABBITMQ),,-DWITHOUT_RABBITMQ)

# a clock that the test moves on; a broker in the test
test_bus_member.LIBS := -Wl,--wrap=clock_gettime
test_bus_broker.LIBS := -Wl,--wrap=clock_gettime \
	$(foreach f,new_connection tcp_socket_new socket_open_noblock get_sockfd \
	set_handshake_timeout set_rpc_timeout login channel_open get_rpc_reply exchange_declare \
	queue_declare queue_bind basic_consume send_method basic_publish maybe_release_buffers \
	simple_wait_frame_noblock frames_enqueued data_in_buffer connection_close \
	destroy_connection,-Wl,--wrap=amqp_$(f))
