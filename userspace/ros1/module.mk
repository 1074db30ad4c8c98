# SPDX-License-Identifier: GPL-2.0-only
PLUGIN	:= ros1/liboptsample-ros1.so
FLAGS	:= -I$(BUILD)/ros1
LIBS	:= -Wl,--version-script=userspace/ros1/link.map -lroscpp

# only for the very roscpp that it was built against
ROSCPP	:= $(realpath $(shell $(CC) -print-file-name=libroscpp.so))
$(BUILD)/ros1/build_id.h: userspace/ros1/build_id.sh $(ROSCPP)
	@mkdir -p $(@D)
	$(Q)$< $(ROSCPP) >$@
$(PIC)/userspace/ros1/guard.o: $(BUILD)/ros1/build_id.h
$(BUILD)/ros1/liboptsample-ros1.so: userspace/ros1/link.map
