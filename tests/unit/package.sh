#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# package.sh - what packages are made of: what they need and their version,
# units, settings as they are shipped, completion, the ament packages

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lib/tap.sh
trap 'rm -rf -- "$scratch"' EXIT
bin=$PWD/build/bin
version=$(sed -n 's/^VERSION\t:= //p' Makefile)

# group NAME...: packages of tools/packages.txt, the first of alternatives
group()
{
	local name

	for name; do
		awk -v g="[$name]" '/^\[/ { on = $0 == g; next }
			on && NF && !/^#/ { print $1 }' tools/packages.txt
	done
}

test_control()
{
	grep -q "^optsample ($version) " debian/changelog
	ok "debian/changelog begins with version $version"
	# what each machine that builds has, and what debhelper brings
	diff <(group queue programs options | sort -u | grep -vxE \
			'gcc|g\+\+|libc6-dev|make|linux-libc-dev') \
		<(sed -n '/^Build-Depends:/,/^Build-Depends-Indep/p' debian/control |
			sed -n 's/^ \([a-z0-9.+-]*\).*/\1/p' |
			grep -v ^debhelper | sort -u) >"$scratch/diff"
	ok "Build-Depends are tools/packages.txt" || sed 's/^/# /' "$scratch/diff"
}

test_units()
{
	local unit

	make -s install DESTDIR="$scratch/root" >"$scratch/log" 2>&1
	ok "make install" || tail -n 5 "$scratch/log" | sed 's/^/# /'
	command -v systemd-analyze >/dev/null ||
		{ skip units "no systemd-analyze"; return; }
	for unit in "$scratch"/root/usr/lib/systemd/*/*.service; do
		sed -i "s|/usr/s\?bin/|$bin/|; /^Documentation/d" "$unit"
		[[ $unit != *@.service ]] || {
			mv "$unit" "${unit%@*}@wlan0.service"
			unit=${unit%@*}@wlan0.service
		}
		systemd-analyze verify "$unit" >"$scratch/verify" 2>&1 &&
			[ ! -s "$scratch/verify" ]
		ok "unit ${unit##*/systemd/}" || sed 's/^/# /' "$scratch/verify"
		! grep -q '^ReadWritePaths=.*/sys' "$unit" ||
			! grep -q '^ProtectKernelTunables=yes' "$unit"
		ok "what it writes below /sys stays writable"
		[[ $unit != */system/* ]] ||
			systemd-analyze security --offline=yes --threshold=30 \
				"$unit" >"$scratch/security" 2>/dev/null
		ok "its exposure is 3.0 at most" ||
			tail -n 1 "$scratch/security" | sed 's/^/# /'
	done
}

# reads PROGRAM FILE OPTION...: it takes the settings, and starts; in a network
# of its own, for its ports
reads()
{
	local program=$1 file=$2 status

	shift 2
	unshare -n sh -c 'ip link set lo up; exec timeout -s TERM 5 "$@"' sh \
		"$bin/$program" --config "$file" "$@" >"$scratch/out" \
		2>"$scratch/err"
	status=$?
	# ended by our signal, or with nothing wrong
	[ $status = 124 ] || [ $status = 0 ]
}

test_settings()
{
	local file example

	unshare -n true 2>/dev/null ||
		{ skip settings "needs root, for a network of its own"; return; }
	for file in send recv view slamd; do
		example=$(echo userspace/apps/*/systemd/$file.conf)
		# each line without its #; keys and broker do not exist
		sed -E 's/^# (\[|[a-z-]+ = )/\1/; /^(key|token-file|sink = \/)/d
			s|/var/lib/slamd|'"$scratch"'|; /^resume/d' \
			"$example" >"$scratch/all.$file.conf"
		cp "$example" "$scratch/$file.conf"
	done
	for file in "" all.; do
		reads optsample-recv "$scratch/${file}recv.conf" \
			--socket "$scratch/r"
		ok "${file}recv.conf, as shipped" || cat "$scratch/err"
		reads optsample-send "$scratch/${file}send.conf" \
			--to 127.0.0.1 --socket "$scratch/s"
		ok "${file}send.conf, as shipped" || cat "$scratch/err"
		reads optsample-view "$scratch/${file}view.conf" \
			--socket "$scratch/v"
		ok "${file}view.conf, as shipped" || cat "$scratch/err"
		reads slamd "$scratch/${file}slamd.conf"
		grep -q 'no readings received' "$scratch/err"
		ok "${file}slamd.conf, as shipped" || cat "$scratch/err"
	done
}

# complete WORD...: candidates for the last one
complete_words()
{
	PATH=$bin:$PATH bash -c '
		. /usr/share/bash-completion/bash_completion
		. userspace/apps/completion.bash
		compopt() { :; }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
		COMP_POINT=${#COMP_LINE}
		_optsample "$1"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@" 2>&1
}

test_completion()
{
	[ -r /usr/share/bash-completion/bash_completion ] ||
		{ skip completion "no bash-completion"; return; }
	[ "$(complete_words optsample to)" = "$(printf 'topic\ntopics')" ]
	ok "completion of commands"
	[ "$(complete_words optsample up lo)" = lo ]
	ok "completion of interfaces"
	[ "$(complete_words optsample up lo --li)" = --limit= ]
	ok "completion of options of a command"
	[ "$(complete_words slamd --particles)" = \
		"$(printf '%s\n' --particles-min= --particles=)" ]
	ok "completion of options"
	[ "$(complete_words optsample up lo --policy ga)" = gap ]
	ok "completion of values"
	[ "$(complete_words gdimctl --store x.db sp)" = spot ]
	ok "completion of a command after options"
}

test_ament()
{
	local dir

	for dir in idl/gdim_msgs userspace/plugin/optsample_ros; do
		grep -q "<version>$version.0<" $dir/package.xml
		ok "$dir: version $version.0"
		/usr/bin/python3 - $dir 2>"$scratch/err" <<-'END'
			import sys
			from catkin_pkg.package import parse_package
			warnings = []
			p = parse_package(sys.argv[1], warnings=warnings)
			p.validate()
			assert not warnings, warnings
			assert p.get_build_type() == 'ament_cmake'
		END
		ok "$dir: a package, for catkin_pkg" || sed 's/^/# /' "$scratch/err"
	done
}

# bloom packages them for ROS; its index is a small one here: no network
test_bloom()
{
	local dir key name
	local dist=$scratch/index

	command -v bloom-generate >"$scratch/out" ||
		{ skip bloom "no bloom-generate (package python3-bloom)"; return; }
	mkdir -p "$dist" "$scratch/home"
	for key in ament_cmake diagnostic_msgs geometry_msgs launch launch_ros \
		rclpy ros2launch rosidl_default_generators \
		rosidl_default_runtime std_msgs; do
		echo "$key: {debian: [ros-jazzy-${key//_/-}]}"
	done >"$dist/keys.yaml"
	echo "yaml file://$dist/keys.yaml" >"$dist/keys.list"
	cat >"$dist/index.yaml" <<-END
		distributions:
		  jazzy:
		    distribution: [jazzy.yaml]
		    distribution_cache: file://$dist/none.yaml
		    distribution_status: active
		    distribution_type: ros2
		    python_version: 3
		type: index
		version: 4
	END
	cat >"$dist/jazzy.yaml" <<-END
		release_platforms: {debian: [bookworm]}
		repositories: {}
		type: distribution
		version: 2
	END
	for dir in idl/gdim_msgs userspace/plugin/optsample_ros; do
		name=$(basename "$dir")
		cp -r "$dir" "$scratch/$name"
		(
			export HOME=$scratch/home ROS_HOME=$scratch/home
			export ROSDEP_SOURCE_PATH=$dist
			export ROSDISTRO_INDEX_URL=file://$dist/index.yaml
			cd "$scratch/$name" && rosdep update --rosdistro jazzy &&
				bloom-generate rosdebian --os-name debian \
					--os-version bookworm --ros-distro jazzy
		) >"$scratch/out" 2>&1 </dev/null &&
			grep -q "^Package: ros-jazzy-${name//_/-}\$" \
				"$scratch/$name/debian/control"
		ok "$dir: a package of ROS, by bloom" ||
			sed 's/^/# /' "$scratch/out"
	done
}

# the node's statuses, with a program that answers as optsample does
test_status()
{
	mkdir "$scratch/bin"
	cat >"$scratch/answer" <<-'END'
		[{"dev": "wlan0", "queue": "opt-wlan0", "writers_left_out": 0,
		  "qdisc": {"policy": "gap", "limit": 20, "stalled": "carrier",
		    "stall_s": {"carrier": 4.5}, "backlog_messages": 20,
		    "oldest_s": 4.25},
		  "flows": [{"flow": "0000002a", "topic": "/camera",
		    "messages_in": 90, "messages_out": 0, "kept": 20, "sampled": 70,
		    "evicted": 0, "late": 0, "incomplete": 0, "torn": 0,
		    "backlog_messages": 20, "longest_gap": 5, "oldest_s": 4.25}]}]
	END
	printf '#!/bin/sh\n[ "$*" = "show -j wlan0" ] && cat %s\n' \
		"$scratch/answer" >"$scratch/bin/optsample"
	chmod +x "$scratch/bin/optsample"
	PATH=$scratch/bin:/usr/bin:/bin /usr/bin/python3 -B - "$scratch" \
		2>"$scratch/err" <<-'END'
		import importlib.machinery as m, importlib.util as u, sys
		l = m.SourceFileLoader('status',
		                       'userspace/plugin/optsample_ros/status')
		s = u.module_from_spec(u.spec_from_loader('status', l))
		l.exec_module(s)

		def same(a, b):
		    assert a == b, (a, b)

		[(level, name, text, device, pairs)] = s.statuses('wlan0',
		                                                  *s.read('wlan0'))
		same((level, name, device), (s.WARN, 'optsample: wlan0', 'wlan0'))
		same(text, 'stalled (carrier): 20 messages held, '
		     'the oldest for 4.2 s')
		pairs = dict(pairs)
		same(pairs['/camera sampled'], '70')
		same(pairs['stall_s carrier'], '4.500')
		same(pairs['limit'], '20')
		[(level, _, text, device, pairs)] = s.statuses('v9', *s.read('v9'))
		same((level, device, pairs), (s.ERROR, 'v9', []))
		open(sys.argv[1] + '/answer', 'w').write('[')
		interfaces, why = s.read('wlan0')
		same(interfaces, None)
		assert why.startswith('optsample show: '), why
	END
	ok "optsample_ros: statistics as diagnostics" ||
		sed 's/^/# /' "$scratch/err"
}

# launch files: with what ROS has, as far as it is needed to read them
test_launch()
{
	mkdir -p "$scratch/ros/launch" "$scratch/ros/launch_ros"
	cat >"$scratch/ros/launch/__init__.py" <<-'END'
		class Any:
		    def __init__(self, *a, **k):
		        self.a, self.k = a, k
		LaunchDescription = Any
	END
	for name in launch/actions launch/conditions launch/substitutions \
		launch_ros/actions launch_ros/parameter_descriptions; do
		echo 'from launch import Any
			DeclareLaunchArgument = ExecuteProcess = IfCondition = Any
			LaunchConfiguration = Node = ParameterValue = Any' |
			sed 's/^\t*//' >"$scratch/ros/$name.py"
	done
	: >"$scratch/ros/launch_ros/__init__.py"
	PYTHONPATH=$scratch/ros /usr/bin/python3 -B - 2>"$scratch/err" <<-'END'
		import runpy
		f = runpy.run_path(
		    'userspace/plugin/optsample_ros/bringup.launch.py')
		entities = f['generate_launch_description']().a[0]
		names = [e.a[0] for e in entities if e.a]
		assert names == ['dev', 'up', 'period'], names
		cmd = [e.k['cmd'] for e in entities if 'cmd' in e.k][0]
		assert cmd[-3:-1] == ['optsample', 'up'], cmd
		assert cmd[-1].a == ('dev',), cmd[-1].a
		values = [e.k['parameters'][0] for e in entities
		          if 'parameters' in e.k][0]
		types = {k: v.k['value_type'] for k, v in values.items()}
		assert types == {'dev': str, 'period': float}, types
	END
	ok "optsample_ros: the launch file" || sed 's/^/# /' "$scratch/err"
}

# With folders of its own for what it removes
test_purge()
{
	unshare -m true 2>/dev/null || { skip purge "no namespace"; return; }
	unshare -m bash -c '
		for d in /etc/default /etc/systemd /run; do
			mount -t tmpfs none $d || exit
		done
		touch /etc/default/optsample{,-recv,-send,-view,-wlan0}
		sh debian/optsample.postrm purge && ls /etc/default | xargs' \
		>"$scratch/purge" 2>&1
	[ "$(<"$scratch/purge")" = \
		'optsample optsample-recv optsample-send optsample-view' ]
	ok "purging optsample keeps the settings of other packages" ||
		sed 's/^/# /' "$scratch/purge"
}

test_control
test_units
test_purge
test_settings
test_completion
test_ament
test_bloom
test_status
test_launch
done_testing
