# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
SRCS	:= $(filter-out $(if $(CYCLONE),%/no_discovery.c,%/discovery.c %/formats.c %/locators.c),$(SRCS))
LIBS	:= -lcjson $(call if_with,CYCLONE,-lddsc) -lxmlrpc_client -lxmlrpc -lxmlrpc_util -lm
PKGS	:= libbpf
FLAGS	:= $(UAPI) -iquote.
IDL	:= $(CYCLONE)
TESTS	:= odometer topic_format topics_list topics_rules topics_maps topics_udpros \
	   $(call if_with,CYCLONE,topics_discovery)

# with the classifier's maps in memory, see tests/unit/topics/fake_maps.h
test_topics_maps.LIBS := -Wl,--wrap=bpf_map_lookup_elem,--wrap=bpf_map_lookup_elem_flags \
	-Wl,--wrap=bpf_map_update_elem,--wrap=bpf_map_delete_elem,--wrap=bpf_map_get_next_key
$(foreach t,$(TESTS),$(eval test_$(t).FLAGS = $$(call flags,userspace/topics)))
$(foreach o,$(OBJECTS),$(o)/tests/unit/topics/test_topics_discovery.o): | $(BUILD)/idl/nav_msgs.h $(BUILD)/idl/sensor_msgs.h
