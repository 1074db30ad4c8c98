#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms.sh - kernels that dkms.conf accepts, and the one version in all texts

cd "$(dirname -- "$0")/../.." || exit 1
. tests/lib/tap.sh

kernel_source_dir=/K dkms_tree=/D
make -s build/share/dkms.conf build/share/Documentation/tc-optsample.8 || exit 1
. build/share/dkms.conf

# matches STATUS VERSION...: with dkms's comparison
matches()
{
	local wanted=$1 version

	shift
	for version; do
		[[ $version =~ $BUILD_EXCLUSIVE_KERNEL ]]
		[ $? = "$wanted" ]
		ok "built for $version: $wanted"
	done
}

matches 0 5.10.0-35-amd64 5.10.216-tegra 5.15.148-tegra 5.19.17 6.0.12 \
	6.1.0-56-amd64 6.1.95 6.2 6.10.3 6.12.95+deb12-amd64 6.19-rc1 7.0.0 7.3.4+deb13-amd64 8.1 9.12.1 10.0 12.3-arm64 60.1
matches 1 5.1.21 5.4.0-216-generic 5.9.16 4.19.0 3.6.1 2.6.32 1.7.9

[ "$BUILD_EXCLUSIVE_CONFIG" = "CONFIG_NET_SCHED CONFIG_NET_CLS_ACT" ]
ok "and only with qdiscs and classifiers"
version=$(sed -n 's/^VERSION\t:= //p' Makefile)
[ -n "$version" ] && [ "$PACKAGE_VERSION" = "$version" ]
ok "dkms.conf is of version $version"
grep -q "dkms install optsample/$version " README.md
ok "so is the README"
grep -q "^\.TH TC-OPTSAMPLE 8 .*\"optsample $version\"" \
	build/share/Documentation/tc-optsample.8
ok "and tc-optsample(8)"
! grep -L '^\.TH .*"optsample @VERSION@"' Documentation/*.[178] | grep .
ok "as all man pages"
grep -q "<version>$version.0<" idl/gdim_msgs/package.xml
ok "and gdim_msgs"
[[ ${MAKE[0]} == *"M=/D/optsample/$version/build "* ]]
ok "it is built where dkms puts it"
done_testing
