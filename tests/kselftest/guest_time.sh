# SPDX-License-Identifier: GPL-2.0-only
#
# guest_time.sh - a root in memory, for tests under tools/vm --skip-idle
#
# There the guest's clock jumps to the next timer whenever the guest idles, and
# it idles while the host looks for a file: a program that is not in memory yet
# can add seconds or minutes of guest time. So a test that measures
# time runs in a root of its own in tmpfs, which has what the test names and
# nothing else. What was forgotten is then not found, which is seen at once.
#
# Sourced. Outside of that root, as root:
#
#	memory_root /mem [LAYER]
#	memory_add PROGRAM... /DIRECTORY... /FILE...
#	memory_enter COMMAND...
#
# LAYER is a directory whose usr and etc lie over those of this machine, as
# tools/packages --into makes it. Inside, memory_check says whether time is kept.

# memory_root ROOT [LAYER]: an empty one, and where its content comes from
memory_root()
{
	local dir

	mem=$1 mem_from=/
	if [ -n "${2-}" ]; then
		mem_from=$mem.from
		mkdir -p "$mem_from" && mount --bind / "$mem_from" || return
		# not the root at once: the layer may lie in it
		for dir in usr etc; do
			mount -t overlay -o "lowerdir=$2/$dir:/$dir" overlay \
				"$mem_from/$dir" || return
		done
		for dir in dev proc; do
			mount --bind "/$dir" "$mem_from/$dir" || return
		done
	fi
	mkdir -p "$mem" && mount -t tmpfs -o mode=755 mem "$mem" || return
	for dir in bin sbin lib lib64; do
		mkdir -p "$mem/usr/$dir" && ln -s "usr/$dir" "$mem/$dir" ||
			return
	done
	mkdir -p "$mem"/{dev,proc,sys,run/netns,var/lib,var/log,root} \
		"$mem/lib/modules" && mkdir -m 1777 "$mem/tmp" &&
		ln -s ../run "$mem/var/run" || return
	for dir in dev proc sys lib/modules; do
		mount --rbind "/$dir" "$mem/$dir" || return
	done
}

# memory_files NAME...: which files and directories these are
memory_files()
{
	local name path

	for name; do
		case $name in
		/*)	path=$name ;;
		*)	path=$(type -P "$name") ;;
		esac
		[ -e "$path" ] || { echo "no $name" >&2; return 1; }
		echo "$path"
	done
}

# memory_libraries PATH...: what the programs and libraries there load
memory_libraries()
{
	find -H "$@" -type f \( -perm -100 -o -name '*.so' \) \
		-exec /lib64/ld-linux-x86-64.so.2 --list {} \; 2>/dev/null |
		awk '$2 == "=>" && $3 ~ /^\// { print $3 }
			$1 ~ /^\/lib/ { print $1 }' | sort -u
}

# memory_copy [-h] PATH...
memory_copy()
{
	chroot "$mem_from" tar -C / -c "$@" |
		tar -x --keep-directory-symlink -C "$mem"
}

# memory_add NAME...: programs by their name, files and directories by their
# path, and all libraries that they load
memory_add()
{
	local paths path files=() dirs=()

	paths=$(chroot "$mem_from" /bin/bash -c "
		PATH=$(printf %q "$PATH")
		$(declare -f memory_files memory_libraries)"'
		files=$(memory_files "$@") && echo "$files" &&
			memory_libraries $files' memory_add "$@") || return
	while read -r path; do
		if [ -d "$mem_from$path" ]; then
			dirs+=(".$path")
		else
			files+=(".$path")
		fi
	done <<<"$paths"
	# programs as they are called: links to them are followed
	memory_copy -h "${files[@]}" &&
		{ [ ${#dirs[@]} = 0 ] || memory_copy "${dirs[@]}"; }
}

# memory_enter COMMAND...: in the new root, with this environment and directory
memory_enter()
{
	local dir

	if [ -n "${VM_OUT-}" ]; then
		mkdir -p "$mem$VM_OUT" && mount --bind "$VM_OUT" "$mem$VM_OUT" ||
			return
	fi
	dir=$PWD
	mkdir -p "$mem$dir" || return
	# What the kernel would load later it would load over the host's root.
	IN_MEMORY=1 exec chroot "$mem" /bin/bash -c 'cd -- "$1" && exec "${@:2}"' \
		memory_enter "$dir" "$@"
}

# memory_seal: all modules are there: the kernel need not look for more of them
# on the host, at any time
memory_seal()
{
	echo >/proc/sys/kernel/modprobe
}

# memory_check SECONDS: sleeps so long; fails if more than 0.5 s more went by,
# a clock that jumped. Says how long it took, in ms.
memory_check()
{
	local t=${EPOCHREALTIME/./}

	sleep "$1"
	t=$(((${EPOCHREALTIME/./} - t) / 1000))
	echo $t
	[ $t -ge $(($1 * 1000)) ] && [ $t -le $(($1 * 1000 + 500)) ]
}
