# SPDX-License-Identifier: GPL-2.0-only
#
# deb.mk - Debian packages into build/deb; the build itself needs no network
#
# DEB_BUILD_PROFILES=pkg.optsample.queue: optsample and optsample-dkms alone,
# for releases that lack libraries of the others; debian/rules has more profiles

DEB	:= $(BUILD)/deb
DEBTREE	:= $(DEB)/optsample-$(VERSION)

# the maintainers have no public address
NO_ADDRESS := bogus-mail-host,bogus-mail-host-in-debian-changelog

deb: packages-queue$(if $(findstring pkg.optsample.queue,$(DEB_BUILD_PROFILES)),,+programs+options)+deb
	$(Q)rm -rf $(DEB) && mkdir -p $(DEBTREE)
	$(Q)tar -c --exclude-vcs --exclude=./build \
		--exclude=./$(patsubst $(CURDIR)/%,%,$(abspath $(BUILD))) . | tar -x -C $(DEBTREE)
	$(Q)cd $(DEBTREE) && dpkg-buildpackage -us -uc
	$(Q)rm -rf $(DEBTREE)
	$(Q)lintian --profile debian --fail-on error,warning --suppress-tags $(NO_ADDRESS) \
		$(DEB)/*.changes
	$(Q)ls $(DEB)/*.deb

.PHONY: deb
