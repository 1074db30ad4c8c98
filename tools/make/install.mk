# SPDX-License-Identifier: GPL-2.0-only
#
# install.mk - what `make install` puts where; `make uninstall` removes it
#
# Packagers set PREFIX, DESTDIR and, where theirs are other ones, the folders
# below. STRIP=1 strips programs and plugins, by STRIP_PROGRAM. Settings in /etc
# that are there already stay.

BINDIR	?= $(PREFIX)/bin
SBINDIR	?= $(PREFIX)/sbin
# plugins and BPF objects; programs are compiled with it
LIBDIR	?= $(PREFIX)/lib/optsample
MANDIR	?= $(PREFIX)/share/man
UNITDIR	?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/lib/systemd/user
SYSCTLDIR ?= $(PREFIX)/lib/sysctl.d
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
# what ROS 2 finds when AMENT_PREFIX_PATH has PREFIX
IDLDIR	= $(PREFIX)/share/gdim_msgs
ROSDIR	= $(PREFIX)/share/optsample_ros
ROSLIBDIR = $(PREFIX)/lib/optsample_ros
AMENTDIR = $(PREFIX)/share/ament_index/resource_index/packages
# where Debian's tc looks, for a PREFIX of /usr
TCDIR	?= $(PREFIX)/lib/$(MULTIARCH)/tc
# where dkms looks
SRCDIR	?= $(if $(filter /usr /usr/local,$(PREFIX)),/usr,$(PREFIX))/src
DKMS	= $(SRCDIR)/optsample-$(VERSION)

STRIP_PROGRAM ?= strip

# texts with @VERSION@ and the like; man pages have the date of the version
DATE	:= $(shell date -u +%Y-%m-%d -d "$$(sed -n '/^ -- /{s/.*>  //p;q}' debian/changelog)" 2>/dev/null)
NAMED	:= VERSION DATE BINDIR SBINDIR LIBDIR
UNITS	:= $(wildcard userspace/apps/*/systemd/*.service)
USERUNITS := $(wildcard userspace/apps/*/systemd/user/*.service)
TEXTS	:= $(call wanted,dkms.conf Documentation/optsample.8 Documentation/tc-optsample.8 \
	userspace/apps/optsample/%, \
	dkms.conf $(wildcard Documentation/*.[1578]) $(UNITS) $(USERUNITS))
SHARE	:= $(BUILD)/share
$(TEXTS:%=$(SHARE)/%): $(SHARE)/%: % $(BUILD)/.folders
	@mkdir -p $(@D)
	$(Q)sed $(foreach n,$(NAMED),-e 's|@$(n)@|$($(n))|g') $< >$@
$(call kept,$(BUILD)/.folders,$(foreach n,$(NAMED),$($(n))))

# one file, under the name of each program
COMPLETIONS = $(PROGRAMS_BUILT:$(BIN)/%=$(SHARE)/completions/%)
$(SHARE)/completions/%: userspace/apps/completion.bash
	@mkdir -p $(@D)
	$(Q)cp $< $@
# an empty file makes a package of ROS 2 known
MARKERS	:= $(addprefix $(SHARE)/ament/,gdim_msgs optsample_ros)
$(MARKERS):
	@mkdir -p $(@D)
	$(Q): >$@

# $(call put,MODE,FOLDER,FILES): a word MODE|FILE|PLACE for each
put = $(foreach f,$(3),$(1)|$(f)|$(2)/$(notdir $(f)))
texts = $(filter $(1),$(TEXTS:%=$(SHARE)/%))
COMMANDS_PUT = $(call put,755,$(SBINDIR),$(BIN)/optsample) \
	$(call put,755,$(BINDIR),$(filter-out %/optsample,$(PROGRAMS_BUILT))) \
	$(call put,755,$(LIBDIR),$(HELPERS_BUILT)) \
	$(call put,755,$(TCDIR),$(filter %/q_optsample.so,$(PLUGINS))) \
	$(call put,755,$(LIBDIR),$(filter-out %/q_optsample.so,$(PLUGINS)))
ROS_PUT	= $(call put,644,$(AMENTDIR),$(MARKERS)) \
	$(call put,755,$(ROSLIBDIR),userspace/plugin/optsample_ros/status) \
	$(call put,644,$(ROSDIR),userspace/plugin/optsample_ros/package.xml) \
	$(call put,644,$(ROSDIR)/launch,userspace/plugin/optsample_ros/bringup.launch.py) \
	$(call put,644,$(IDLDIR),$(addprefix idl/gdim_msgs/,package.xml CMakeLists.txt)) \
	$(call put,644,$(IDLDIR)/msg,$(wildcard idl/gdim_msgs/msg/*.msg)) \
	$(call put,644,$(IDLDIR)/srv,$(wildcard idl/gdim_msgs/srv/*.srv))
SETTINGS_PUT = 644|userspace/apps/optsample/systemd/optsample.default|/etc/default/optsample \
	$(if $(QUEUE_ONLY),,$(call put,644,/etc/optsample,$(wildcard userspace/apps/*/systemd/*.conf)))
OTHERS_PUT = $(call put,644,$(LIBDIR),$(PROGRAM_BPF)) \
	$(foreach n,1 5 7 8,$(call put,644,$(MANDIR)/man$(n),$(call texts,%.$(n)))) \
	$(call put,644,$(UNITDIR),$(call texts,$(UNITS:%=$(SHARE)/%))) \
	$(call put,644,$(USERUNITDIR),$(call texts,$(USERUNITS:%=$(SHARE)/%))) \
	$(call put,644,$(COMPLETIONDIR),$(COMPLETIONS)) \
	$(if $(QUEUE_ONLY),,$(call put,644,$(SYSCTLDIR),$(wildcard userspace/apps/*/sysctl/*.conf))) \
	$(if $(QUEUE_ONLY),,$(ROS_PUT)) \
	$(call put,644,$(DKMS),Kbuild $(SHARE)/dkms.conf) \
	$(call put,644,$(DKMS)/kernel,$(wildcard kernel/*.[ch])) \
	$(call put,644,$(DKMS)/include/optsample,$(wildcard include/optsample/*.h)) \
	$(call put,644,$(DKMS)/include/uapi/linux,$(wildcard include/uapi/linux/*.h))

# $(call each_put,WORDS,COMMAND) with $$mode, $$file and $$place
each_put = @for p in $(foreach p,$(1),'$(p)'); do \
	mode=$${p%%|*} place=$(DESTDIR)$${p\#\#*|}; file=$${p\#*|}; file=$${file%|*}; \
	$(2) || exit; done

install: programs $(TEXTS:%=$(SHARE)/%) $(COMPLETIONS) $(MARKERS)
	$(call each_put,$(COMMANDS_PUT),install $(if $(filter 1 yes,$(STRIP)),-s --strip-program=$(STRIP_PROGRAM)) -D -m $$mode $$file $$place)
	$(call each_put,$(OTHERS_PUT),install -D -m $$mode $$file $$place)
	$(call each_put,$(SETTINGS_PUT),[ -e $$place ] || install -D -m $$mode $$file $$place)
	@echo 'module: dkms install optsample/$(VERSION)'

# ours alone, the inner ones first
OWN	= $(DKMS)/kernel $(DKMS)/include/optsample $(DKMS)/include/uapi/linux \
	  $(DKMS)/include/uapi $(DKMS)/include $(DKMS) $(IDLDIR)/msg $(IDLDIR)/srv $(IDLDIR) \
	  /etc/optsample $(LIBDIR) $(ROSLIBDIR) $(ROSDIR)/launch $(ROSDIR)
# DKMS would look for the source; settings that were changed stay
uninstall:
	@[ -n '$(DESTDIR)' ] || [ ! -d /var/lib/dkms/optsample/$(VERSION) ] || \
		dkms remove optsample/$(VERSION) --all
	$(call each_put,$(COMMANDS_PUT) $(OTHERS_PUT),rm -f $$place)
	$(call each_put,$(SETTINGS_PUT),! cmp -s $$file $$place || rm -f $$place)
	@for d in $(OWN); do rmdir $(DESTDIR)$$d 2>/dev/null || :; done

.PHONY: install uninstall
