# SPDX-License-Identifier: GPL-2.0-only
#
# install.mk - what `make install` puts where

# where Debian's tc looks
TCLIB	:= $(DESTDIR)$(PREFIX)/lib/$(shell $(CC) -print-multiarch)/tc
DKMS	:= $(DESTDIR)/usr/src/optsample-$(VERSION)

install: build
	install -D -m 755 $(BIN)/optsample $(DESTDIR)$(PREFIX)/sbin/optsample
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(addprefix $(BIN)/optsample-,\
		sim lab send recv) $(BIN)/gdimd $(BIN)/gdimctl \
		$(addprefix $(BIN)/slam,d -worker -eval)
	install -D -m 755 $(BUILD)/fastdds/fastdds.so \
		$(DESTDIR)$(PREFIX)/lib/optsample/fastdds.so
	install -D -m 755 $(BUILD)/engine/engine-mpi.so \
		$(DESTDIR)$(PREFIX)/lib/optsample/engine-mpi.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gdim_msgs \
		idl/gdim_msgs/package.xml idl/gdim_msgs/CMakeLists.txt
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gdim_msgs/msg \
		idl/gdim_msgs/msg/*.msg
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gdim_msgs/srv \
		idl/gdim_msgs/srv/*.srv
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system \
		userspace/apps/*/systemd/*.service
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/optsample \
		userspace/apps/*/systemd/*.conf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/optsample \
		$(BUILD)/bpf/ros_tag.bpf.o $(BUILD)/bpf/keep.bpf.o
	install -D -m 644 $(BUILD)/tc/q_optsample.so $(TCLIB)/q_optsample.so
	install -D -m 644 $(BUILD)/ros1/liboptsample-ros1.so \
		$(DESTDIR)$(PREFIX)/lib/optsample/liboptsample-ros1.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 \
		Documentation/tc-optsample.8 Documentation/optsample.8 \
		Documentation/gdimd.8 Documentation/slamd.8 \
		Documentation/slam-worker.8
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(addprefix Documentation/optsample-,lab.1 send.1 recv.1) \
		Documentation/gdimctl.1 Documentation/slam-eval.1
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man7 \
		Documentation/optsample-ros1.7
	install -D -m 644 -t $(DKMS) Kbuild dkms.conf
	install -D -m 644 -t $(DKMS)/kernel kernel/*.[ch]
	install -D -m 644 -t $(DKMS)/include/optsample include/optsample/*.h
	install -D -m 644 -t $(DKMS)/include/uapi/linux include/uapi/linux/*.h
	@echo 'module: dkms install optsample/$(VERSION)'
