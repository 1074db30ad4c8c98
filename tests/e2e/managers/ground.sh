# SPDX-License-Identifier: GPL-2.0-only
#
# ground.sh - a robot's Wi-Fi, and its network manager
#
#   robot (initial network namespace)        operator (namespace "operator")
#   wlan0, managed by one of    ~~~~~~~~~    wlan1, wlan2: two access points
#   many; 10.42.0.2, and of                  of one network; br0 10.42.0.1 and
#   fd42::/64 what it makes of it            fd42::1, DHCP and router adver-
#                                            tisements; if wanted, two others
#                        hwsim-medium (the air)
#
# Sourced by managers.sh. A manager is a
# function: robot_NAME brings wlan0 up the way its users do, with the defaults
# of Debian. Its processes are robot_daemons, which robot_gone ends.

robot_ip=10.42.0.2
operator_ip=10.42.0.1
operator_ip6=fd42::1
robot_mac=02:00:00:00:00:00
declare -A pid	# of a daemon, by its name
robot_daemons=()

# an array of words, not a function, so that $! is the pid of the program
in_operator="nsenter --net=/run/netns/operator"
medium() { "$bin/hwsim-medium" ctl "$1"; }
wpa() { wpa_cli -p "$run/wpa" -i wlan0 "$@"; }

# daemon NAME COMMAND...: in the background, output to logs/daemons/NAME.log
daemon()
{
	local name=$1

	shift
	"$@" >>"$logs/daemons/$name.log" 2>&1 </dev/null &
	pid[$name]=$!
}

# robot_daemon NAME COMMAND...: a daemon that is stopped with the manager
robot_daemon()
{
	robot_daemons=("$1" "${robot_daemons[@]}")
	daemon "$@"
}

# await SECONDS WHAT COMMAND...: until it succeeds
await()
{
	wait_for "$1" "${@:3}" || { echo "# no $2"; return 1; }
}

#
# The operator
#

# access_point N BRIDGE SSID
access_point()
{
	cat >"$run/hostapd$1.conf" <<-END
		interface=wlan$1
		bridge=$2
		driver=nl80211
		ssid=$3
		hw_mode=g
		channel=6
		wmm_enabled=1
		wpa=2
		wpa_key_mgmt=WPA-PSK
		rsn_pairwise=CCMP
		wpa_passphrase=operator
	END
	daemon hostapd$1 $in_operator hostapd -t "$run/hostapd$1.conf"
	await 30 "access point $1" \
		grep -q AP-ENABLED "$logs/daemons/hostapd$1.log"
}

operator()
{
	ip netns add operator && $in_operator ip link set lo up &&
		iw phy phy1 set netns name operator &&
		iw phy phy2 set netns name operator &&
		$in_operator ip link add br0 type bridge forward_delay 0 stp_state 0 &&
		$in_operator ip addr add $operator_ip/24 dev br0 &&
		$in_operator ip link set br0 up || return
	router router br0 fd42
	daemon medium "$bin/hwsim-medium" --rate 24 --radios 5
	await 10 medium medium status && access_point 1 br0 optsample &&
		access_point 2 br0 optsample
}

# router NAME BRIDGE PREFIX: announces the network's prefix
router()
{
	$in_operator ip addr add "$3::1/64" dev "$2" nodad
	# A router that does not forward announces that it is none.
	$in_operator sysctl -qw net.ipv6.conf.all.forwarding=1
	daemon "$1" $in_operator dnsmasq -k --conf-file=/dev/null \
		--user=root --interface="$2" --bind-interfaces --port=0 \
		--pid-file="$run/$1.pid" --enable-ra \
		--dhcp-range="$3::,ra-only,64,1h" --log-facility=-
}

# other_networks: one with the same addresses, and one with others
other_networks()
{
	[ -z "${pid[hostapd3]-}" ] || return 0
	iw phy phy3 set netns name operator &&
		iw phy phy4 set netns name operator &&
		$in_operator ip link add br1 type bridge forward_delay 0 stp_state 0 &&
		$in_operator ip addr add 10.43.0.1/24 dev br1 &&
		$in_operator ip link set br1 up &&
		router router1 br1 fd43 &&
		access_point 3 br0 same && access_point 4 br1 elsewhere &&
		$in_operator tc qdisc add dev br1 clsact &&
		$in_operator tc filter add dev br1 ingress protocol ip pref 1 \
			u32 match ip src $robot_ip/32 action pass
}

# strangers: packets with the robot's address that arrived in another network
strangers()
{
	$in_operator tc -s filter show dev br1 ingress |
		awk '$1 == "Sent" { n += $4 } END { print n + 0 }'
}

# dhcp_server: a new one has no leases of the previous manager
dhcp_server()
{
	rm -f "$run/leases"
	robot_daemon dnsmasq $in_operator dnsmasq -k --conf-file=/dev/null \
		--user=root --interface=br0 --bind-interfaces --port=0 --no-ping \
		--dhcp-range=$robot_ip,10.42.0.20,255.255.255.0,1h \
		--dhcp-host=$robot_mac,$robot_ip --dhcp-authoritative --log-dhcp \
		--dhcp-leasefile="$run/leases" --log-facility=-
	[ -z "${pid[hostapd4]-}" ] ||
		robot_daemon dnsmasq1 $in_operator dnsmasq -k \
		--conf-file=/dev/null --user=root --interface=br1 \
		--bind-interfaces --port=0 --no-ping --pid-file="$run/dnsmasq1.pid" \
		--dhcp-range=10.43.0.2,10.43.0.20,255.255.255.0,1h \
		--dhcp-authoritative --dhcp-leasefile="$run/leases1" \
		--log-facility=-
}

#
# The robot
#

# system_bus: udev and D-Bus, which are not stopped
system_bus()
{
	[ -z "${pid[udev]-}" ] || return 0
	mkdir -p /run/dbus && dbus-uuidgen --ensure=/etc/machine-id
	daemon dbus dbus-daemon --system --nofork --nopidfile
	export SYSTEMD_IGNORE_CHROOT=1
	daemon udev /usr/lib/systemd/systemd-udevd
	await 10 udev test -S /run/udev/control
	udevadm trigger --action=add --subsystem-match=net \
		--subsystem-match=ieee80211 --subsystem-match=rfkill
	udevadm settle -t 30
	await 10 D-Bus test -S /run/dbus/system_bus_socket
}

associated() { wpa status | grep -q wpa_state=COMPLETED; }

supplicant()
{
	local ssid

	echo "ctrl_interface=$run/wpa" >"$run/wpa.conf"
	for ssid in optsample same elsewhere; do
		cat >>"$run/wpa.conf" <<-END
			network={
				ssid="$ssid"
				psk="operator"
				key_mgmt=WPA-PSK
				scan_freq=2437
				freq_list=2437
				disabled=$([ $ssid = optsample ] && echo 0 || echo 1)
			}
		END
	done
	robot_daemon wpa_supplicant wpa_supplicant -t -i wlan0 -c "$run/wpa.conf"
	await 20 wpa_supplicant wpa ping || return
	# A robot without a link scans all the time.
	wpa scan_interval 0 >/dev/null
	await 30 association associated
}

robot_static()
{
	ip addr add $robot_ip/24 dev wlan0
	supplicant
}

# networkd: with what is in /etc/systemd/network and /run/systemd/network
networkd()
{
	mkdir -p /run/systemd/netif/{links,leases}
	chown -R systemd-network /run/systemd/netif
	robot_daemon networkd env SYSTEMD_LOG_TARGET=console \
		/usr/lib/systemd/systemd-networkd
}

robot_networkd()
{
	system_bus && dhcp_server
	mkdir -p /etc/systemd/network
	rm -rf /run/systemd/network
	printf '%s\n' '[Match]' Name=wlan0 '[Network]' DHCP=ipv4 \
		${privacy:+IPv6PrivacyExtensions=yes} \
		>/etc/systemd/network/10-wlan0.network
	networkd
	supplicant
}

# what Ubuntu generates from its netplan: files for networkd and wpa_supplicant
robot_netplan()
{
	system_bus && dhcp_server
	rm -rf /etc/systemd/network
	mkdir -p /etc/netplan
	cat >/etc/netplan/robot.yaml <<-END
		network:
		  version: 2
		  renderer: networkd
		  wifis:
		    wlan0:
		      dhcp4: true
		      access-points:
		        optsample:
		          password: operator
	END
	chmod 600 /etc/netplan/robot.yaml
	/usr/libexec/netplan/generate || return
	cp -r /run/systemd/network /run/netplan "$logs/daemons"
	networkd
	ln -sfn /run/wpa_supplicant "$run/wpa"
	robot_daemon wpa_supplicant wpa_supplicant -t -Dnl80211,wext -i wlan0 \
		-c /run/netplan/wpa-wlan0.conf
	await 60 association associated
}

robot_nm()
{
	local profile=/etc/NetworkManager/system-connections/robot.nmconnection

	system_bus && dhcp_server
	mkdir -p "${profile%/*}" /var/lib/NetworkManager /run/NetworkManager
	cat >$profile <<-END
		[connection]
		id=robot
		uuid=11111111-2222-3333-4444-555555555555
		type=wifi
		interface-name=wlan0
		[wifi]
		ssid=optsample
		[wifi-security]
		key-mgmt=wpa-psk
		psk=operator
		[ipv4]
		method=auto
		[ipv6]
		method=auto
		ip6-privacy=${privacy:-0}
	END
	chmod 600 $profile
	printf '%s\n' '[main]' plugins=keyfile auth-polkit=false \
		>/etc/NetworkManager/NetworkManager.conf
	robot_daemon wpa_supplicant wpa_supplicant -u -t -O "$run/wpa"
	robot_daemon nm NetworkManager --debug
}

robot_connman()
{
	system_bus && dhcp_server
	mkdir -p /var/lib/connman
	printf '%s\n' '[WiFi]' Enable=true >/var/lib/connman/settings
	# as recommended by optsample doctor, and no radios of other networks
	cat >/etc/connman/main.conf <<-END
		[General]
		NetworkInterfaceBlacklist=ifb,opt-,keep-,own-,wlan3,wlan4
	END
	cat >/var/lib/connman/robot.config <<-END
		[service_robot]
		Type=wifi
		Name=optsample
		Passphrase=operator
		IPv4=dhcp
		IPv6=auto
	END
	robot_daemon wpa_supplicant wpa_supplicant -u -t -O "$run/wpa"
	robot_daemon connman connmand --nodaemon --debug
}

robot_dhcpcd()
{
	system_bus && dhcp_server
	supplicant
	robot_daemon dhcpcd dhcpcd --nobackground wlan0
}

robot_dhclient()
{
	dhcp_server
	supplicant
	robot_daemon dhclient dhclient -d -v wlan0
}

robot_has_address()
{
	ip -4 addr show dev wlan0 | grep -q "inet $robot_ip/24"
}

# robot_has_ip6: sets $robot_ip6, the address that Cyclone uses: the first,
# which is the youngest, and so the temporary one if there is any
robot_has_ip6()
{
	robot_ip6=$(ip -6 -o addr show dev wlan0 scope global -tentative \
		${privacy:+temporary} | sed -n 's/.* inet6 \(fd42:[^/]*\).*/\1/p' |
		head -n 1)
	[ -n "$robot_ip6" ]
}

# reaches_by_ip6: the robot has $robot_ip6, and reaches the operator with it
reaches_by_ip6()
{
	await 60 "IPv6 address" robot_has_ip6 &&
		await 30 "way by IPv6" ping -qc1 -W1 $operator_ip6
}

# robot MANAGER[-privacy]: wlan0 is managed by it, and reaches the operator
robot()
{
	privacy=
	[ "$1" = "${1%-privacy}" ] || privacy=2
	sysctl -qw net.ipv6.conf.wlan0.use_tempaddr=${privacy:-0}
	"robot_${1%-privacy}" && await 60 "address" robot_has_address &&
		await 30 "way to the operator" ping -qc1 -W1 $operator_ip
}

# robot_gone: stop the manager, reset wlan0
robot_gone()
{
	local name

	for name in "${robot_daemons[@]}"; do
		end_or_kill "${pid[$name]}"
	done
	robot_daemons=()
	rm -rf "$run/wpa"
	ip link set wlan0 down
	ip link set wlan0 address $robot_mac
	ip addr flush dev wlan0
	# the kernel's default
	for name in accept_ra=1 autoconf=1 addr_gen_mode=0; do
		sysctl -qw "net.ipv6.conf.wlan0.$name"
	done
}
