# SPDX-License-Identifier: GPL-2.0-only
#
# linux-source.sh - build a kernel of one's own from Debian's linux source
#
# Sourced by tools/machines/debug-kernel, jetpack-kernel and uml. The source is
# unpacked once, into build/linux-source, and serves every kernel: each is built
# outside of it. The package comes from the host's own apt; one that already
# lies in build/linux-source is taken as it is.
#
# Who sources it has set $me, $top and $build, and says what it wants:
#   out		the kernel's directory; obj, the log and .done land here
#   arch		additional arguments of make, an array
#   config()		prints the configuration; all else is "no"
#   make_it()		builds from $out/obj, to $out

linux_package=linux-source-6.1
linux_dir=$build/linux-source

die()
{
	echo "$me: $*" >&2
	exit 1
}

need()
{
	command -v "$1" >/dev/null || die "$1 not found (package $2)"
}

yes_to()
{
	local o

	for o; do
		echo "CONFIG_$o=y"
	done
}

# config_guest: what a guest of tools/machines/vm needs
config_guest()
{
	# the machine that tools/machines/vm emulates, and its way in
	yes_to 64BIT SMP MODULES MODULE_UNLOAD PRINTK TTY SERIAL_8250 \
		SERIAL_8250_CONSOLE BLK_DEV_INITRD BINFMT_ELF BINFMT_SCRIPT \
		KERNEL_GZIP ACPI PCI PCI_MSI \
		VIRTIO_MENU VIRTIO VIRTIO_PCI VIRTIO_CONSOLE HVC_DRIVER NET \
		NETWORK_FILESYSTEMS NET_9P NET_9P_VIRTIO 9P_FS INET UNIX \
		OVERLAY_FS MAGIC_SYSRQ MULTIUSER X86_X2APIC X86_LOCAL_APIC \
		RTC_CLASS RTC_DRV_CMOS HPET_TIMER HIGH_RES_TIMERS NO_HZ_IDLE
	# what a program expects
	yes_to PROC_FS PROC_SYSCTL SYSFS TMPFS TMPFS_XATTR TMPFS_POSIX_ACL \
		DEVTMPFS UNIX98_PTYS DEBUG_FS FUTEX EPOLL SIGNALFD TIMERFD \
		EVENTFD AIO IO_URING ADVISE_SYSCALLS MEMBARRIER POSIX_TIMERS \
		POSIX_MQUEUE SYSVIPC SHMEM FILE_LOCKING FHANDLE INOTIFY_USER \
		CGROUPS NAMESPACES NET_NS PID_NS UTS_NS IPC_NS BPF_SYSCALL \
		BPF_JIT FTRACE SWAP PACKET IPV6 WIRELESS IKCONFIG \
		IKCONFIG_PROC
}

# linux_fetch: $linux_dir/src, the unpacked source
linux_fetch()
{
	local deb tmp=$linux_dir/tmp

	mkdir -p "$linux_dir" || die "cannot make $linux_dir"
	# Two kernels at once must not unpack the same source.
	exec 9>"$linux_dir/lock" && flock 9 || die "cannot lock $linux_dir"
	if [ ! -f "$linux_dir/src/Makefile" ]; then
		# what an interrupted run left must not be taken for whole
		rm -rf "$tmp" && mkdir "$tmp" || die "cannot make $tmp"
		deb=("$linux_dir/$linux_package"_*.deb)
		if [ ! -f "${deb[0]}" ]; then
			echo "$me: fetching $linux_package" >&2
			(cd "$tmp" && apt-get -qq download "$linux_package" \
				>&2) && mv "$tmp"/*.deb "$linux_dir/" ||
				die "cannot fetch $linux_package" \
					"(apt-get update first)"
			deb=("$linux_dir/$linux_package"_*.deb)
		fi
		dpkg-deb --fsys-tarfile "${deb[0]}" |
			tar -xO "./usr/src/$linux_package.tar.xz" |
			nice tar -xJ -C "$tmp" --strip-components 1 ||
			die "cannot unpack ${deb[0]}"
		mv "$tmp" "$linux_dir/src" || die "cannot make $linux_dir/src"
	fi
	exec 9>&-
}

# linux_make ARGS: make in $out/obj; the make above us is not its business
linux_make()
{
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS nice make -C "$linux_dir/src" \
		"O=$out/obj" "-j$(nproc)" ${arch[@]+"${arch[@]}"} "$@"
}

# linux_configure: $out/obj/.config; what was asked for and is not there is
# said in the log
linux_configure()
{
	local lost

	mkdir -p "$out/obj" && config >"$out/obj/wanted" || return 1
	linux_make KCONFIG_ALLCONFIG="$out/obj/wanted" allnoconfig || return 1
	lost=$(config | grep '=y$' | grep -vxFf "$out/obj/.config")
	[ -z "$lost" ] || echo "not taken by kconfig:" $lost
}

# linux_modules: $out/lib/modules, with a link to build against
linux_modules()
{
	local release

	release=$(cat "$out/obj/include/config/kernel.release") || return 1
	rm -rf "$out/lib" &&
	linux_make INSTALL_MOD_PATH="$out" modules_install || return 1
	rm -f "$out/lib/modules/$release"/{build,source}
	ln -s ../../../obj "$out/lib/modules/$release/build" &&
	cp "$out/obj/.config" "$out/config"
}

# linux_build: make_it, unless $out/vmlinuz is there with this configuration
linux_build()
{
	local want tool

	mkdir -p "$out" || die "cannot make $out"
	exec 7>"$out/lock" && flock 7 || die "cannot lock $out"
	want=$(config | cksum)
	if [ ! -f "$out/vmlinuz" ] ||
	   [ "$(cat "$out/.done" 2>/dev/null)" != "$want" ]; then
		for tool in gcc:gcc make:make bc:bc bison:bison flex:flex \
			    xz:xz-utils depmod:kmod dpkg-deb:dpkg; do
			need "${tool%:*}" "${tool#*:}"
		done
		# objtool, for x86
		[ -f /usr/include/gelf.h ] ||
			die "gelf.h not found (package libelf-dev)"
		rm -f "$out/.done"
		linux_fetch
		echo "$me: building, see $out/log" >&2
		if ! { linux_configure && make_it && linux_modules; } \
		     >"$out/log" 2>&1 7>&-; then
			grep -E 'rror|\*\*\*' "$out/log" | tail -n 10 >&2
			die "the kernel did not build, see $out/log"
		fi
		echo "$want" >"$out/.done"
	fi
	exec 7>&-
}
