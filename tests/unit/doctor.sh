#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# doctor.sh - findings of `optsample doctor` on robots made of fixture files
#
# Each finding is checked by its id, and the robot is then repaired: the finding
# must disappear.

cd "$(dirname -- "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/unit/doctor_robot.sh
top=$PWD
doctor=$top/build/bin/optsample
trap 'rm -rf -- "$scratch"' EXIT

### nothing is wrong

name=healthy
healthy fine
run
status_is 0
jq -e 'all(.[]; .level | IN("ok", "note"))' "$scratch/json" >/dev/null
ok "healthy: nothing but ok and notes" || show
jq -e '[.[] | select(.level == "note") | .id] == ["ros"]' \
	"$scratch/json" >/dev/null
ok "healthy: one note: no nodes run" || show
"$doctor" doctor --root "$robot" >"$scratch/out"
[ $? = 0 ] && [ "$(tail -n 1 "$scratch/out")" = \
	"wlan0: an outage of 30 s would be survived" ] &&
	! grep -q '^ok' "$scratch/out"
ok "healthy: as text, without what is fine" || cat "$scratch/out"
"$doctor" doctor --root "$robot" -v | grep -q '^ok  *wlan0: queue and redirect'
ok "healthy: with -v also what is fine"

### optsample itself

healthy down
facts power_save=off
sick "not up" error up "not up" "optsample up wlan0"
finds ok module "installed for kernel"
facts up=1 daemon=1 "why=has lost its queue or the redirect to it"
sick "half up" error up "lost its queue" "optsample up wlan0"
facts up=1
sick "daemon dead" error daemon "has ended" "optsample up wlan0"
facts up=1 daemon=1 "warnings=3 DDS participants given up by the others after 10 s of silence, an outage may last 30 s: raise the lease duration; more than 64 next hops: the neighbour entries of the others are not kept"
sick "leases" error daemon.lease "after 10 s" "LeaseDuration>120s"
finds warning daemon.next_hops "64 next hops"
facts up=1 daemon=1 "warnings=cannot enter DDS domain 0 (no address): nothing is sampled yet"
sick "no domain" error daemon.domain
facts up=1 daemon=1 peer=10.42.0.1
sick "peer not known" warning peer 10.42.0.1 "ping -c 3 10.42.0.1"
facts up=1 daemon=1 peer=10.42.0.1 peer_known=1
name="peer known"
run
finds ok peer 10.42.0.1
facts up=1 daemon=1 peer=10.42.0.1 peer_away=1
sick "peer elsewhere" warning peer.route "no route"

### Debian with NetworkManager

nm()
{
	healthy "$1"
	process 500 NetworkManager --no-daemon
	put /run/NetworkManager/devices/3 "[device]
managed=${2-true}
connection-uuid=4f1c6f5e"
	put /etc/NetworkManager/NetworkManager.conf "[main]
plugins=keyfile
[device]
wifi.scan-rand-mac-address=no"
}
nm nm
sick "NetworkManager" error manager "NetworkManager removes the address 15 s" \
	"optsample down wlan0 && optsample up wlan0"
facts
sick "NetworkManager, not up" error manager "15 s" "optsample up wlan0"
jq -e '.[] | select(.id == "manager") | .fix == "optsample up wlan0"' \
	"$scratch/json" >/dev/null
ok "not up: the fix is up alone"
nm nm-kept
keep
name="NetworkManager, address kept"
run
finds ok manager "optsample keeps it"
lacks random_mac
status_is 0

nm_more()
{
	facts up=1
	name="NetworkManager, keeper without a daemon"
	run
	finds error manager "15 s"
	nm nm-not false
	name="NetworkManager leaves it alone"
	run
	finds ok manager "no network manager"
	status_is 0
}
thorough nm_more

nm nm-random
put /etc/NetworkManager/NetworkManager.conf "[main]"
name="random MAC"
run
finds warning random_mac "changes the MAC" scan-rand-mac-address=no
status_is 1

random_mac_more()
{
	keep
	name="random MAC, addresses kept"
	run
	lacks random_mac
	status_is 0
	rm -r "$robot/sys/class/net/keep-wlan0"
	put /usr/lib/NetworkManager/conf.d/10.conf "[device]
wifi.scan-rand-mac-address=yes"
	put /etc/NetworkManager/conf.d/99.conf "[device-wifi]
match-device=type:wifi
wifi.scan-rand-mac-address=0"
	name="no random MAC in conf.d"
	run
	lacks random_mac
	put /etc/NetworkManager/conf.d/99.conf "[connection]
wifi.scan-rand-mac-address=0"
	name="random MAC off in the wrong section"
	run
	finds warning random_mac
}
thorough random_mac_more

### Ubuntu with netplan and systemd-networkd

networkd()
{
	healthy "$1"
	put /etc/os-release 'ID="ubuntu"'
	process 400 systemd-networkd
	put /run/systemd/netif/links/3 "ADMIN_STATE=${2-configured}
OPER_STATE=routable
NETWORK_FILE=/run/systemd/network/10-netplan-wlan0.network"
	put /run/systemd/network/10-netplan-wlan0.network "[Match]
Name=wlan0

[Network]
DHCP=ipv4
$3"
}
dropin=systemd/network/10-netplan-wlan0.network.d
networkd networkd
sick "networkd" error manager "systemd-networkd (netplan) removes the address when"
networkd networkd-kept configured IgnoreCarrierLoss=yes
name="networkd, carrier loss ignored"
run
finds ok manager "IgnoreCarrierLoss"
status_is 0

networkd_more()
{
	put /etc/$dropin/50.conf "[Network]
IgnoreCarrierLoss=no"
	sick "networkd, ignored and in a drop-in not" error manager "when the carrier"
	put /run/$dropin/60.conf "[Network]
IgnoreCarrierLoss=1min"
	name="networkd, ignored for longer than an outage"
	run
	finds ok manager "IgnoreCarrierLoss"
	put /usr/lib/$dropin/70.conf "[Network]
IgnoreCarrierLoss=10s"
	sick "networkd, ignored for 10 s" error manager "10s after the carrier"
	put /etc/$dropin/70.conf "[Link]
IgnoreCarrierLoss=no"
	name="networkd, /etc hides the drop-in of /usr/lib"
	run
	finds ok manager "IgnoreCarrierLoss"
	networkd networkd-not unmanaged
	name="networkd, not managed"
	run
	finds ok manager "no network manager"
}
thorough networkd_more

networkd networkd-kept2
keep
name="networkd, address kept"
run
finds ok manager "optsample keeps it"

networkd_file()
{
	rm "$robot/run/systemd/network/10-netplan-wlan0.network"
	name="networkd, its file is missing"
	run
	finds note manager.file "cannot read"
	finds ok manager "optsample keeps it"
}
thorough networkd_file

networkd extra
grep -v cls_matchall "$robot/lib/modules/6.1.0-30-amd64/modules.dep" >"$scratch/dep"
cp "$scratch/dep" "$robot/lib/modules/6.1.0-30-amd64/modules.dep"
facts
sick "Ubuntu without linux-modules-extra" error kernel.cls_matchall \
	"not installed" linux-modules-extra-6.1.0-30-amd64

### Raspberry Pi OS with dhcpcd

dhcpcd()
{
	healthy "$1"
	process 450 dhcpcd -q -b
	put /run/dhcpcd/pid 450
	put /etc/dhcpcd.conf "hostname
${2-}"
	link /sys/class/net/wlan0/device/driver ../../bus/sdio/drivers/brcmfmac
	facts up=1 daemon=1 power_save=on
}
dhcpcd dhcpcd
sick "dhcpcd" error manager "dhcpcd removes the address when"
finds note driver brcmfmac
finds warning power_save "" "iw dev wlan0 set power_save off"
dhcpcd dhcpcd-nolink nolink
name="dhcpcd with nolink"
run
finds ok manager nolink

dhcpcd_more()
{
	dhcpcd dhcpcd-other "interface eth0
nolink"
	sick "dhcpcd with nolink for another one" error manager dhcpcd
	dhcpcd dhcpcd-denied "denyinterfaces eth0 wlan*"
	name="dhcpcd denied"
	run
	finds ok manager "no network manager"
}
thorough dhcpcd_more

dhcpcd dhcpcd-two
process 500 NetworkManager
put /run/NetworkManager/devices/3 "[device]
managed=true"
name="two managers"
run
finds warning manager.two "NetworkManager and dhcpcd" "disable --now dhcpcd"
status_is 1

### others

healthy dhclient
process 460 dhclient -4 -pf /run/dhclient.wlan0.pid -lf x wlan0
name=dhclient
run
finds ok manager "until its lease ends"
put /var/lib/dhcp/dhclient.wlan0.leases "lease {
  option dhcp-lease-time 3600;
}
lease {
  option dhcp-lease-time 40;
}"
sick "dhclient, short lease" error manager "lease of 40 s"

dhclient_other()
{
	healthy dhclient-other
	process 460 dhclient eth0
	name="dhclient of another interface"
	run
	finds ok manager "no network manager"
}
thorough dhclient_other

healthy connman
process 470 connmand -n
name="connman, up without ifb"
run
lacks manager.devices
put /sys/class/net/opt-wlan0/ifindex 8
sick connman error manager "ConnMan removes"
finds error manager.devices "treats opt-wlan0 as a wired network" \
	"NetworkInterfaceBlacklist="

connman_more()
{
	keep
	sick "connman and keep-wlan0" error manager.devices \
		"treats opt-wlan0 and keep-wlan0 as wired networks" "NetworkInterfaceBlacklist="
	put /etc/connman/main.conf "[General]
NetworkInterfaceBlacklist = ifb, opt-"
	sick "connman ignores the queue alone" error manager.devices "keep-wlan0"
	put /etc/connman/main.conf "[General]
NetworkInterfaceBlacklist = ifb, opt-,keep-,own-"
	name="connman ignores both"
	run
	lacks manager.devices
	healthy connman-before
	facts power_save=off
	process 470 connmand -n
	sick "connman, not up yet" error manager.devices \
		"treats opt-wlan0 and keep-wlan0 as wired networks" "NetworkInterfaceBlacklist="
}
thorough connman_more

healthy iwd
process 480 iwd
put /etc/iwd/main.conf "[General]
EnableNetworkConfiguration=true"
sick iwd error manager "iwd removes"
healthy ifupdown
process 490 wpa_supplicant -i wlan0
put /etc/network/interfaces "auto wlan0
iface wlan0 inet static"
name=ifupdown
run
finds ok manager static

### Cls_bpf, and the module's own link type

shopt -s extglob
healthy bpf
config ${whole_kernel//@(NET_ACT_GACT|NET_CLS_MATCHALL|IFB)=m/}
put /lib/modules/6.1.0-30-amd64/modules.dep "kernel/net/sched/cls_bpf.ko:
kernel/net/sched/sch_ingress.ko:
kernel/net/sched/sch_fq_codel.ko:"
facts
name="no matchall, gact and mirred, but cls_bpf"
run
finds ok kernel.cls_matchall "not Ethernet or Wi-Fi"
finds ok kernel.act_gact "not Ethernet or Wi-Fi"
finds ok kernel.act_mirred "not Ethernet or Wi-Fi"

### Jetson: no IFB, no cls_bpf, an old kernel

jetson()
{
	healthy "$1"
	put /proc/sys/kernel/osrelease 4.9.337-tegra
	config ${whole_kernel//@(IFB|NET_CLS_BPF|NET_CLS_MATCHALL)=m/}
	put /lib/modules/4.9.337-tegra/modules.dep "kernel/net/sched/act_mirred.ko:
kernel/net/sched/sch_ingress.ko:
kernel/net/sched/act_gact.ko:
kernel/net/sched/sch_fq_codel.ko:"
	put /lib/modules/4.9.337-tegra/modules.builtin kernel/net/x.ko
	facts
}
jetson jetson
sick Jetson error kernel.version "4.9.337-tegra is too old"
finds ok kernel.ifb "own link type"
finds ok kernel.cls_bpf "no back-pressure"
finds error kernel.cls_matchall CONFIG_NET_CLS_MATCHALL
finds ok kernel.act_mirred
finds error module "not installed" "install the package optsample-dkms and the headers of kernel 4.9"

jetson_more()
{
	put "/usr/src/optsample-$("$doctor" --version | grep -o '[0-9.]*$')/dkms.conf" ""
	run
	finds error module "not installed" "apt install dkms linux-headers-4.9.337-tegra && dkms install optsample/"
	put /etc/os-release "ID=fedora"
	name="Jetson without Debian"
	run
	finds error module "not installed" "install dkms and the headers of kernel 4.9"
	put /etc/os-release "ID=debian"
	put /lib/modules/4.9.337-tegra/modules.dep "extra/ifb.ko.gz:
extra/cls-bpf.ko:
extra/ifb_other.ko:
updates/sch-optsample.ko.xz:
kernel/net/sched/xcls_matchall.ko:"
	name="Jetson with modules built beside"
	run
	lacks kernel.ifb
	lacks kernel.cls_bpf
	finds error kernel.cls_matchall
	finds error kernel.act_mirred "not installed" "apt install --reinstall linux-image"
	put /etc/os-release 'ID=fedora
ID_LIKE="rhel"'
	name="no Debian"
	run
	finds error kernel.act_mirred "not installed" "install all modules of kernel 4.9"
	echo kernel/net/sched/cls_flower.ko: >>"$robot/lib/modules/4.9.337-tegra/modules.dep"
	name="Jetson with cls_flower"
	run
	finds ok kernel.cls_matchall CONFIG_NET_CLS_FLOWER
	echo kernel/net/sched/cls_basic.ko: >>"$robot/lib/modules/4.9.337-tegra/modules.dep"
	name="Jetson with cls_basic"
	run
	finds ok kernel.cls_matchall CONFIG_NET_CLS_BASIC
	echo updates/sch_optsample.ko: >"$robot/lib/modules/4.9.337-tegra/modules.dep"
	name="Jetson with an older module"
	run
	finds error kernel.ifb CONFIG_IFB "config --module IFB"
	finds warning kernel.cls_bpf CONFIG_NET_CLS_BPF
	put /lib/modules/4.9.337-tegra/modules.alias \
		"alias rtnl-link-optsample sch_optsample"
	name="Jetson with a module that has a link type"
	run
	finds ok kernel.ifb "own link type"
	finds ok kernel.cls_bpf "no back-pressure"
	put /lib/modules/4.9.337-tegra/modules.dep "extra/ifb.ko.gz:
kernel/net/sched/cls_basic.ko:"
	rm "$robot/proc/config.gz"
	name="Jetson without a configuration"
	run
	finds error kernel.act_mirred "built without"
	finds note kernel.bpf_syscall "cannot tell"
	rm -r "$robot/lib/modules"
	name="Jetson without anything"
	run
	finds ok kernel.ifb "own link type"
	finds error module
}
thorough jetson_more

config_in_boot()
{
	healthy config-plain
	rm "$robot/proc/config.gz"
	put /boot/config-6.1.0-30-amd64 "CONFIG_MODULES=y
# CONFIG_BPF_JIT is not set
CONFIG_BPF_SYSCALL=y"
	facts
	sick "configuration in /boot" error up
	finds warning kernel.bpf_jit
	finds ok kernel.bpf_syscall
}
thorough config_in_boot

healthy upgraded
put /proc/sys/kernel/osrelease 6.1.0-99-amd64
facts
sick "kernel was upgraded" error module "was it upgraded" reboot
healthy locked
facts
put /sys/kernel/security/lockdown "none [integrity] confidentiality"
mkdir -p "$robot/sys/firmware/efi/efivars"
printf '\6\0\0\0\1' | put \
	/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
name="Secure Boot"
run
finds warning signing "Secure Boot" mokutil

signing_more()
{
	put /sys/kernel/security/lockdown "[none] integrity confidentiality"
	run
	lacks signing
	put /sys/module/module/parameters/sig_enforce Y
	run
	finds warning signing
}
thorough signing_more

put /proc/modules "a 1 0
sch_optsample 61440 1 - Live 0x0 (OE)"
name="module loaded"
run
lacks signing
finds ok module "is loaded"

### a container

healthy container
put /.dockerenv ""
link /proc/self/ns/net 'net:[4026532999]'
rm -r "$robot/proc/1/comm"
printf 'Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\n' |
	put /proc/self/status
rm "$robot/proc/self/mounts"
facts
name=container
run
status_is 1
finds warning container Docker
finds warning container.netns "not the network namespace" nsenter
finds note manager "cannot tell"
finds error privileges.NET_ADMIN "" "--cap-add NET_ADMIN"
finds error privileges.BPF
finds error privileges.SYS_MODULE
finds note bpffs "cannot tell"
rm "$robot/.dockerenv"
put /proc/1/cgroup "0::/machine.slice/libpod-1234.scope"
name=Podman
run
finds warning container Podman
healthy user
printf 'Name:\tx\nUid:\t1000\t1000\nCapEff:\t0000000000000000\n' |
	put /proc/self/status
name="not root"
run
finds note privileges "not run as root" sudo
status_is 0

### ROS

healthy dds
name="Cyclone DDS without settings"
node 900 camera_node libddsc.so.0
facts up=1
run
finds ok ros.cyclonedds camera_node
finds error cyclonedds.lease "10 s"
finds note cyclonedds.lo "local nodes"
facts up=1 daemon=1
keep
name="the daemon knows the leases"
run
lacks cyclonedds.lease
lacks cyclonedds.lo
status_is 0
put /etc/cyclone.xml '<CycloneDDS><Domain><General><Interfaces>
<NetworkInterface name="eth0" multicast="false"/></Interfaces>
<AllowMulticast>true</AllowMulticast></General>
<Discovery><LeaseDuration> 2 min </LeaseDuration></Discovery>
</Domain></CycloneDDS>'
node 900 camera_node libddsc.so.0 CYCLONEDDS_URI=file:///etc/cyclone.xml
sick "Cyclone DDS by a file" warning cyclonedds.multicast "multicast" spdp
finds warning cyclonedds.interface "does not use wlan0" 'name="wlan0"'

cyclone_more()
{
	facts up=1
	run
	lacks cyclonedds.lease
	node 900 camera_node libddsc.so.0 \
		'CYCLONEDDS_URI=/etc/none.xml,<General><Interfaces><NetworkInterface name="wlan0"/><NetworkInterface name="lo"/></Interfaces></General><Discovery><LeaseDuration>29s</LeaseDuration></Discovery>'
	name="Cyclone DDS by XML"
	run
	finds error cyclonedds.lease "29 s" "LeaseDuration>120s"
	lacks cyclonedds.interface
	lacks cyclonedds.lo
}
thorough cyclone_more

facts up=1 daemon=1 domain=0
node 900 camera_node libddsc.so.0 ROS_DOMAIN_ID=5
sick "another domain" error ros.domain "domain 5" "--domain 5"
facts up=1 daemon=1 domain=5
name="the same domain"
run
lacks ros.domain
facts up=1 daemon=1
for variable in ROS_LOCALHOST_ONLY=1 \
	ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; do
	node 900 camera_node libddsc.so.0 $variable
	sick "$variable" error ros.localhost "1 of 1" SUBNET
done

ros_more()
{
	node 901 lidar_node libfastrtps.so.2.6
	name="one of two is local"
	run
	finds warning ros.localhost "1 of 2"
	status_is 0
	healthy settings
	facts up=1
	for pid in 900 901 902; do
		node $pid node_$pid libddsc.so.0 CYCLONEDDS_URI=/etc/none.xml
	done
	node 903 node_903 libddsc.so.0
	name="nodes with the same settings"
	run
	[ "$(levels cyclonedds.lease)" = "error error" ]
	ok "$name: reported once" || show
}
thorough ros_more

healthy fastdds
keep
node 901 lidar_node libfastdds.so.3.1 FASTDDS_BUILTIN_TRANSPORTS=LARGE_DATA
sick "Fast DDS over TCP" warning fastdds.tcp TCP DEFAULT
node 901 lidar_node libfastdds.so.3.1 FASTDDS_BUILTIN_TRANSPORTS=UDPv4
rm -r "$robot/sys/class/net/keep-wlan0"
name="Fast DDS without shared memory"
run
lacks fastdds.tcp
finds note fastdds.udp
put /etc/fastdds.xml "<leaseDuration><sec>120</sec></leaseDuration>"
facts up=1
node 901 lidar_node libfastdds.so.3.1 \
	FASTRTPS_DEFAULT_PROFILES_FILE=/etc/fastdds.xml
name="Fast DDS with a profile"
run
lacks fastdds.lease

fastdds_lease()
{
	put /etc/fastdds.xml "<leaseDuration></leaseDuration>"
	run
	finds error fastdds.lease "20 s"
}
thorough fastdds_lease

healthy zenoh
node 902 nav_node librmw_zenoh_cpp.so
sick Zenoh error ros.zenoh "TCP" rmw_cyclonedds_cpp

zenoh_beside()
{
	node 900 camera_node libddsc.so.0
	name="Zenoh beside DDS"
	run
	finds warning ros.zenoh nav_node
}
thorough zenoh_beside

healthy zenoh-to-come
echo RMW_IMPLEMENTATION=rmw_zenoh_cpp >>"$robot/facts"
sick "Zenoh by the environment" error ros.zenoh rmw_zenoh_cpp
healthy ros1
node 903 usb_cam libroscpp.so
sick "ROS 1" warning ros.ros1 usb_cam liboptsample-ros1.so
echo "7f0 r-xp 0 08:01 1 /usr/lib/optsample/liboptsample-ros1.so" \
	>>"$robot/proc/903/maps"
name="ROS 1 with the library"
run
lacks ros.ros1
healthy daemon-of-ours
node 904 optsample libddsc.so.0
# started by /proc/self/exe
node 905 exe libddsc.so.0
printf '%s\0' /usr/sbin/optsample discover wlan0 | put /proc/905/cmdline
name="our own daemon is no node"
run
finds note ros "no ROS process"

### sysctls, clock

healthy sysctl
put /proc/sys/net/core/rmem_max 212992
put /proc/sys/net/core/rmem_default 212992
put /proc/sys/net/ipv4/ipfrag_high_thresh 4194304
put /proc/sys/net/ipv6/ip6frag_high_thresh 4194304
put /proc/sys/net/ipv4/ipfrag_time 30
put /proc/sys/net/ipv6/ip6frag_time 60
put /proc/sys/net/ipv4/conf/all/rp_filter 1
sick "sysctls of a plain kernel" warning rmem "208 kB" net.core.rmem_max=8388608
finds note rmem.default "" net.core.rmem_default
finds warning fragments.ipv4 "" net.ipv4.ipfrag_high_thresh
finds warning fragments.ipv6 "" net.ipv6.ip6frag_high_thresh
finds note fragments.ipv4_time "30 s" net.ipv4.ipfrag_time=3
finds note fragments.ipv6_time "60 s" net.ipv6.ip6frag_time=3
finds note rp_filter strict net.ipv4.conf.wlan0.rp_filter=2

rmem_more()
{
	put /proc/sys/net/core/rmem_max 2097152
	sick "2 MiB" warning rmem "2048 kB"
	put /proc/sys/net/core/rmem_max 2097153
	name="more than 2 MiB"
	run
	lacks rmem
}
thorough rmem_more

healthy clock
printf '%s\n' wlan0.up=1 wlan0.daemon=1 clock_synchronised=no year=1970 |
	put /facts
sick clock warning clock "chronyd runs" "chronyc sources"
finds warning clock.year 1970
finds note power_save "cannot tell"
rm -r "$robot/proc/700"
sick "clock without a service" warning clock "not synchronised" "chrony"

### which interface

healthy wired
rm -r "$robot/sys/class/net/wlan0"
put /sys/class/net/eth0/ifindex 2
mkdir -p "$robot/sys/class/net/eth0/device"
put /sys/class/net/lo/ifindex 1
echo >"$robot/facts"
name="wired only"
run
[ "$(jq -r '[.[].device | values] | unique | join(" ")' \
	"$scratch/json")" = eth0 ]
ok "$name: eth0 alone is looked at" || show
rm -r "$robot/sys/class/net/eth0"
sick "no interface" error device
healthy two
put /sys/class/net/wlan1/ifindex 4
mkdir -p "$robot/sys/class/net/wlan1/phy80211"
name="one of two is up"
run
status_is 0
[ "$(jq -r '[.[].device | values] | unique | join(" ")' \
	"$scratch/json")" = wlan0 ]
ok "$name: it alone is looked at" || show
name="the other one by name"
run wlan1
status_is 1
finds error up "" "optsample up wlan1"

long_name()
{
	healthy long
	put /sys/class/net/wlx0123456789ab/ifindex 4
	mkdir -p "$robot/sys/class/net/wlx0123456789ab/phy80211"
	printf 'wlx0123456789ab.%s\n' up=1 daemon=1 |
		cat - "$robot/facts" >"$scratch/f"
	cp "$scratch/f" "$robot/facts"
	process 470 connmand
	put /sys/class/net/keep-wlx01_____/ifindex 9
	name="a long name"
	run wlx0123456789ab
	finds error manager
}
thorough long_name

### an address of the robot's own

healthy own
put /sys/class/net/own-wlan0/ifindex 7
printf 'own-wlan0.%s\n' up=1 daemon=1 lower=wlan0 >>"$robot/facts"
sed -i '/^wlan0.\(up\|daemon\)=/d; s/power_save=off/power_save=on/' "$robot/facts"
process 500 NetworkManager --no-daemon
name="own-wlan0"
run
finds ok manager "no network manager removes the address"
finds warning power_save "" "iw dev wlan0 set power_save off"
finds ok driver iwlwifi
lacks random_mac
status_is 0

own_more()
{
	put /run/systemd/netif/links/7 "ADMIN_STATE=configured"
	process 501 systemd-networkd
	sick "networkd takes own-wlan0" warning manager "systemd-networkd manages own-wlan0" \
		Unmanaged=yes
	process 502 dhcpcd
	put /run/dhcpcd/pid 502
	sick "dhcpcd takes own-wlan0" warning manager "second address" denyinterfaces
	finds warning manager "systemd-networkd manages own-wlan0" Unmanaged=yes
	put /etc/dhcpcd.conf "denyinterfaces own-*"
	rm "$robot/run/systemd/netif/links/7"
	name="dhcpcd leaves own-wlan0 alone"
	run
	finds ok manager
	process 503 connmand -n
	sick "ConnMan takes own-wlan0" warning manager "ConnMan treats own-wlan0 as a wired network" own-
	put /etc/connman/main.conf "[General]
NetworkInterfaceBlacklist = ifb,opt-,keep-,own-"
	name="ConnMan leaves own-wlan0 alone"
	run
	finds ok manager
}
thorough own_more

### usage

usage()
{
	local want=$1 rc

	shift
	"$doctor" doctor "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	rc=$?
	[ $rc = 2 ] && [ ! -s "$scratch/out" ] &&
		[ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -q -- "$want" "$scratch/err"
	ok "usage: $want: one line, exit status 2" ||
		sed 's/^/# /' "$scratch/err"
}
usage "no option --colour" --colour
usage "one DEV only" wlan0 wlan1
usage "no device nodev" --root "$robot" nodev
usage "no device ../wlan0" --root "$robot" ../wlan0
usage "no device " --root "$robot" ""
usage "no device" --root "$robot" "$(printf 'x%.0s' {1..5000})"
usage "no folder" --root "$scratch/none"
"$doctor" doctor --help | grep -q 'Exit status' &&
	! "$doctor" doctor --help | grep -q -- --root
ok "--help tells the exit status, not what tests use"

### invalid files

healthy bad
process 500 NetworkManager
process 400 systemd-networkd
process 450 dhcpcd
process 460 dhclient wlan0
node 900 camera_node libddsc.so.0 CYCLONEDDS_URI=file:///etc/cyclone.xml
node 901 lidar_node libfastdds.so FASTRTPS_DEFAULT_PROFILES_FILE=/etc/f.xml
put /run/NetworkManager/devices/3 "[device]"
put /run/systemd/netif/links/3 "NETWORK_FILE=/etc/n.network
ADMIN_STATE=configured"
put /etc/n.network "[Network]"
put /etc/n.network.d/x.conf "[Network]"
put /etc/cyclone.xml "<a>"
put /etc/f.xml "<a>"
put /etc/dhcpcd.conf ""
put /etc/NetworkManager/NetworkManager.conf ""
put /var/lib/dhcp/dhclient.wlan0.leases ""
put /sys/kernel/security/lockdown ""
head -c 300000 /dev/urandom >"$scratch/random"
: >"$scratch/empty"
{
	printf '[device]\nmanaged=\xff\xfe"\\\n[Network]\nIgnoreCarrierLoss=\n'
	printf '<LeaseDuration>%01000d' 9
	printf '\n=\n[\n[device\nCONFIG_\n:\n/\n.ko:\noption dhcp-lease-time '
} >"$scratch/garbage"

# survives WHAT: it ends by itself, with JSON of printable text
survives()
{
	timeout 10 "$doctor" doctor --root "$robot" -j wlan0 \
		>"$scratch/out" 2>"$scratch/err"
	rc=$?
	[ $rc -le 1 ] && [ ! -s "$scratch/err" ] &&
		jq -e 'all(.[]; .text + (.fix // "") |
			test("^[ -~]+$"))' "$scratch/out" >/dev/null && return
	worst=1
	echo "# $1: $rc"
}

worst=0
mapfile -t files < <(cd "$robot" && find . -type f | sed 's/^\.//')

bad_files()
{
	for file in "${files[@]}"; do
		mv "$robot$file" "$scratch/saved"
		for kind in empty random garbage; do
			cp "$scratch/$kind" "$robot$file"
			survives "$file: $kind"
			rm "$robot$file"
		done
		mv "$scratch/saved" "$robot$file"
	done
	[ $worst = 0 ] && [ ${#files[@]} -gt 30 ]
	ok "bad files, one by one: no crash, printable text"
}
thorough bad_files

for kind in fifo folder loop; do
	for file in "${files[@]}"; do
		rm -rf "${robot:?}$file"
		case $kind in
		fifo) mkfifo "$robot$file" ;;
		folder) mkdir "$robot$file" ;;
		loop) ln -s "$(basename "$file")" "$robot$file" ;;
		esac
	done
	# only the interface is still known
	rm -r "$robot/sys/class/net/wlan0/ifindex"
	put /sys/class/net/wlan0/ifindex 3
	survives "$kind"
	[ $rc = 1 ] && jq -e '[.[] | select(.text |
		startswith("cannot tell")).id] | contains(["manager", "clock",
		"privileges", "bpffs", "rmem", "kernel.version"])' \
		"$scratch/out" >/dev/null
	ok "each file is a $kind: cannot tell" || cat "$scratch/out"
done
done_testing
