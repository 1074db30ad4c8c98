# SPDX-License-Identifier: GPL-2.0-only
#
# install.mk - what `make install` puts where; `make uninstall` removes it
#
# Packagers set PREFIX, DESTDIR and, where theirs are other ones, the folders
# below. STRIP=1 strips programs and plugins.

BINDIR	?= $(PREFIX)/bin
SBINDIR	?= $(PREFIX)/sbin
# plugins and BPF objects; programs are compiled with it
LIBDIR	?= $(PREFIX)/lib/optsample
MANDIR	?= $(PREFIX)/share/man
DOCDIR	?= $(PREFIX)/share/doc/optsample
IDLDIR	?= $(PREFIX)/share/gdim_msgs
UNITDIR	?= $(PREFIX)/lib/systemd/system
# where Debian's tc looks, for a PREFIX of /usr
TCDIR	?= $(PREFIX)/lib/$(MULTIARCH)/tc
# where dkms looks
SRCDIR	?= $(if $(filter /usr /usr/local,$(PREFIX)),/usr,$(PREFIX))/src
DKMS	= $(SRCDIR)/optsample-$(VERSION)

# texts with @VERSION@, @BINDIR@ or @LIBDIR@
TEXTS	:= dkms.conf $(wildcard Documentation/*.[178] userspace/apps/*/systemd/*.service)
SHARE	:= $(BUILD)/share
$(TEXTS:%=$(SHARE)/%): $(SHARE)/%: % $(BUILD)/.folders
	@mkdir -p $(@D)
	$(Q)sed 's|@VERSION@|$(VERSION)|g; s|@BINDIR@|$(BINDIR)|g; s|@LIBDIR@|$(LIBDIR)|g' $< >$@
$(call kept,$(BUILD)/.folders,$(VERSION) $(BINDIR) $(LIBDIR))

# $(call put,MODE,FOLDER,FILES): a word MODE|FILE|PLACE for each
put = $(foreach f,$(3),$(1)|$(f)|$(2)/$(notdir $(f)))
manual = $(call put,644,$(MANDIR)/man$(1),$(filter %.$(1),$(TEXTS:%=$(SHARE)/%)))
COMMANDS_PUT = $(call put,755,$(SBINDIR),$(BIN)/optsample) \
	$(call put,755,$(BINDIR),$(filter-out %/optsample,$(PROGRAMS_BUILT))) \
	$(call put,755,$(TCDIR),$(filter %/q_optsample.so,$(PLUGINS))) \
	$(call put,755,$(LIBDIR),$(filter-out %/q_optsample.so,$(PLUGINS)))
OTHERS_PUT = $(call put,644,$(LIBDIR),$(PROGRAM_BPF)) \
	$(call manual,1) $(call manual,7) $(call manual,8) \
	$(call put,644,$(UNITDIR),$(filter %.service,$(TEXTS:%=$(SHARE)/%))) \
	$(call put,644,$(DOCDIR),$(wildcard userspace/apps/*/systemd/*.conf)) \
	$(call put,644,$(IDLDIR),$(addprefix idl/gdim_msgs/,package.xml CMakeLists.txt)) \
	$(call put,644,$(IDLDIR)/msg,$(wildcard idl/gdim_msgs/msg/*.msg)) \
	$(call put,644,$(IDLDIR)/srv,$(wildcard idl/gdim_msgs/srv/*.srv)) \
	$(call put,644,$(DKMS),Kbuild $(SHARE)/dkms.conf) \
	$(call put,644,$(DKMS)/kernel,$(wildcard kernel/*.[ch])) \
	$(call put,644,$(DKMS)/include/optsample,$(wildcard include/optsample/*.h)) \
	$(call put,644,$(DKMS)/include/uapi/linux,$(wildcard include/uapi/linux/*.h))

# $(call each_put,WORDS,COMMAND) with $$mode, $$file and $$place
each_put = @for p in $(foreach p,$(1),'$(p)'); do \
	mode=$${p%%|*} place=$(DESTDIR)$${p\#\#*|}; file=$${p\#*|}; file=$${file%|*}; \
	$(2) || exit; done

install: programs $(TEXTS:%=$(SHARE)/%)
	$(call each_put,$(COMMANDS_PUT),install $(if $(filter 1 yes,$(STRIP)),-s) -D -m $$mode $$file $$place)
	$(call each_put,$(OTHERS_PUT),install -D -m $$mode $$file $$place)
	@echo 'module: dkms install optsample/$(VERSION)'

# ours alone, the inner ones first
OWN	= $(DKMS)/kernel $(DKMS)/include/optsample $(DKMS)/include/uapi/linux \
	  $(DKMS)/include/uapi $(DKMS)/include $(DKMS) $(IDLDIR)/msg $(IDLDIR)/srv $(IDLDIR) \
	  $(LIBDIR) $(DOCDIR)
uninstall:
	$(call each_put,$(COMMANDS_PUT) $(OTHERS_PUT),rm -f $$place)
	@for d in $(OWN); do rmdir $(DESTDIR)$$d 2>/dev/null || :; done

.PHONY: install uninstall
