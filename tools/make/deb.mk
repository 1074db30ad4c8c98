# SPDX-License-Identifier: GPL-2.0-only
#
# deb.mk - Debian packages into build/deb; the build itself needs no network
#
# DEB_BUILD_PROFILES=pkg.optsample.queue: optsample and optsample-dkms alone,
# for releases that lack libraries of the others; debian/rules has more profiles
#
# DEB_HOST_ARCH=arm64: packages for that architecture, with its cross compiler;
# dpkg says what is missing, as to add an architecture is for the administrator

DEB	:= $(BUILD)/deb
DEBTREE	:= $(DEB)/optsample-$(VERSION)

# the maintainers have no public address
NO_ADDRESS := bogus-mail-host,bogus-mail-host-in-debian-changelog

NATIVE_DEPS := queue$(if $(findstring pkg.optsample.queue,$(DEB_BUILD_PROFILES)),,+programs+options)+
deb: packages-$(if $(DEB_HOST_ARCH),,$(NATIVE_DEPS))deb
	$(Q)rm -rf $(DEB) && mkdir -p $(DEBTREE)
	$(Q)tar -c --exclude-vcs --exclude=./build \
		--exclude=./$(patsubst $(CURDIR)/%,%,$(abspath $(BUILD))) . | tar -x -C $(DEBTREE)
	$(Q)cd $(DEBTREE) && dpkg-buildpackage -us -uc $(addprefix -a,$(DEB_HOST_ARCH))
	$(Q)rm -rf $(DEBTREE)
	$(Q)lintian --profile debian --fail-on error,warning --suppress-tags $(NO_ADDRESS) \
		$(DEB)/*.changes
	$(Q)ls $(DEB)/*.deb

.PHONY: deb
