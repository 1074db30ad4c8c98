# SPDX-License-Identifier: GPL-2.0-only
USES	:= base ros/io map/io
LIBS	:= -lcjson -lm -lpthread
TESTS	:= map_messages map_input map_publisher map_topics storing
FUZZ	:= submap_message gdimd_input first_gdimd

# the clock, the timers and the sink are those of the test
MAP_CLOCK := -Wl,--wrap=loop_now,--wrap=io_now,--wrap=loop_add_timer,--wrap=loop_remove_timer
test_map_input.LIBS := $(MAP_CLOCK)
test_map_publisher.LIBS := $(MAP_CLOCK) -Wl,--wrap=sink_add,--wrap=sink_remove,--wrap=sink_publish
test_map_topics.LIBS := $(MAP_CLOCK) -Wl,--wrap=source_subscribe,--wrap=source_subscribe_all
