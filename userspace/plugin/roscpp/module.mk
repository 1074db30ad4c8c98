# SPDX-License-Identifier: GPL-2.0-only
PLUGIN	:= $(call if_with,ROS1,ros1/liboptsample-ros1.so)
SRCS	+= userspace/topics/topic_format.c
FLAGS	:= -I$(BUILD)/ros1
LIBS	:= -Wl,--version-script=userspace/plugin/roscpp/link.map -lroscpp

# only for the very roscpp that it was built against
ROSCPP	:= $(realpath $(shell $(CC) -print-file-name=libroscpp.so 2>/dev/null))
$(BUILD)/ros1/build_id.h: userspace/plugin/roscpp/build_id.sh $(ROSCPP)
	@mkdir -p $(@D)
	$(Q)$< $(ROSCPP) >$@
$(PIC)/userspace/plugin/roscpp/guard.o: $(BUILD)/ros1/build_id.h
$(BUILD)/ros1/liboptsample-ros1.so: userspace/plugin/roscpp/link.map
