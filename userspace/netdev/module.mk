# SPDX-License-Identifier: GPL-2.0-only
USES	:= base
PKGS	:= libnl-3.0 libnl-route-3.0 libnl-genl-3.0 libbpf
FLAGS	:= $(UAPI) -iquote.
TESTS	:= netdev_netlink netdev_qdisc netdev_own netdev_stack netdev_state \
	   netdev_classifier netdev_neigh netdev_keep netdev_radio

# with what the kernel may lack, see tests/unit/netdev/fake_module.h
FAKE_MODULE := -Wl,--wrap=netlink_send,--wrap=netlink_dump,--wrap=netlink_delete
$(foreach t,qdisc own stack keep classifier,$(eval test_netdev_$(t).LIBS := $(FAKE_MODULE)))
test_netdev_keep.LIBS += -Wl,--wrap=device_is_wireless,--wrap=network_read
test_netdev_state.LIBS := -Wl,--wrap=syscall
test_netdev_radio.LIBS := -Wl,--wrap=genl_ask,--wrap=netlink_ask
$(foreach t,$(TESTS),$(eval test_$(t).FLAGS = $$(call flags,userspace/netdev)))
