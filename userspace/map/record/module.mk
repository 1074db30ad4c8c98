# SPDX-License-Identifier: GPL-2.0-only
USES	:= map/ros ros/bag
LIBS	:= -lpthread
TESTS	:= folder record recorder

# the clock of the test
test_record.LIBS = $(MAP_CLOCK)
# a disk that is slow
test_recorder.LIBS := -Wl,--wrap=record_write,--wrap=pthread_cond_clockwait,--wrap=io_now
