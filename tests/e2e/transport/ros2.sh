#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ros2.sh - a robot's topics in ROS 2, a link that loses a third, and an
# operator's unmodified viewers
#
#   domain 1: camera, map, ... -> optsample-send -> link -> optsample-recv ->
#   domain 0: viewers of Cyclone DDS and of Fast DDS
#
# Prints TAP. Needs root, what make built, and jq.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

unset ROS_DOMAIN_ID ROS_LOCALHOST_ONLY CYCLONEDDS_URI
ip -n "$space" link set lo multicast on
ip -n "$space" route add 224.0.0.0/4 dev lo
copy=$bin/io-copy

# robot NAME CMD...: a node in the robot's domain
robot()
{
	begin "$1" env CYCLONEDDS_URI='<Domain Id="1"/>' "${@:2}"
}

# pictures N WIDTH HEIGHT TIMES: raw, smooth, all different
pictures()
{
	python3 - "$@" <<-'END' >"$scratch/frames"
	import math, sys
	n, w, h, times = map(int, sys.argv[1:])
	across = [128 + 60 * math.sin(x / 19) for x in range(w + 8 * n)]
	down = [50 * math.cos(y / 17) for y in range(h)]
	all = b''.join(bytes(int(a + d) for d in down for a in
	                     across[8 * i:8 * i + w]) for i in range(n))
	for i in range(times):
	    sys.stdout.buffer.write(all)
	END
}

# alike: nine of ten received images are nearly equal to the sent one with the
# same stamp
alike()
{
	python3 - "$scratch" "$scratch/camera.out" 160 120 20 <<-'END'
	import glob, sys
	scratch, pub = sys.argv[1:3]
	w, h, n = map(int, sys.argv[3:])
	size = w * h
	raw = open(scratch + '/frames', 'rb').read()
	sent = {}
	for i, l in enumerate(open(pub)):
	    sent[l.split(',')[1]] = i % n
	good = all = 0
	for path in glob.glob(scratch + '/images/*.pgm'):
	    data = open(path, 'rb').read()[-size:]
	    stamp = path.split('/')[-1][:-4]
	    if stamp not in sent:
	        sys.exit('%s: none was sent' % stamp)
	    f = raw[sent[stamp] * size:][:size]
	    good += sum(abs(a - b) for a, b in zip(data, f)) / size < 6
	    all += 1
	print('# %d of %d images are as sent' % (good, all))
	sys.exit(all < 30 or good < .9 * all)
	END
}

recv recv ros2:0
link --loss 0.3 --delay 5
send robot --to 127.0.0.1:7459 ros2:1
wait_for 90 grep -q listening "$scratch/recv.log"

# ---- a camera ----

pictures 20 160 120 60
mkdir "$scratch/images"
begin viewer "$bin/image-sub" --store "$scratch/images"
robot camera "$bin/image-pub" --size 160x120 "$scratch/frames"
wait_for 90 is recv "$(topic /camera/image '.frames > 60')"
ok 'a camera: its images arrive'
wait_for 90 lines viewer 60; ok 'at a viewer that knows nothing of the link'
is recv "$(topic /camera/image '.loss > .2 and .loss < .4 and
	.frames_missing <= .frames / 20')"
ok 'hardly one is missing, although a third of the datagrams is'
end camera viewer
alike; ok 'they are those that were sent'

# ---- a map, and late subscribers ----

python3 - "$scratch" <<-'END'
	import sys
	cells = bytes(254 if (x // 9 + y // 7) % 3 else 0
	              for y in range(120) for x in range(200))
	open(sys.argv[1] + '/site.pgm', 'wb').write(b'P5 200 120 255\n' + cells)
	open(sys.argv[1] + '/site.yaml', 'w').write(
	    'image: site.pgm\nresolution: 0.05\norigin: [-3, 2, 0]\nnegate: 0\n'
	    'occupied_thresh: 0.65\nfree_thresh: 0.196\n')
END
begin map "$copy" -L -d 1000000 "$scratch/site.pgm" ros2:1
wait_for 90 is recv "$(topic /map '.frames > 8')"; ok 'a map arrives'
begin late timeout 60 "$copy" -n 1 -o /map ros2:0 "$scratch/late/"
wait_for 90 files "$scratch/late" 1
ok 'who comes late gets it'
wait "${pid[late]}" 2>/dev/null
cmp -s <(tail -c 24000 "$scratch/site.pgm") \
	<(find "$scratch/late" -name '*.pgm' -exec tail -c 24000 {} +)
ok 'all of it'
end map

# ---- everything at once ----

"$bin/test_io" "$scratch/kinds.mcap" >/dev/null 2>&1
begin all "$copy" ros2:0 -
begin kinds "$copy" -l "$scratch/kinds.mcap" ros2:1
names=$(ip netns exec "$space" timeout 60 "$copy" -x 100 \
	"$scratch/kinds.mcap" - 2>/dev/null | awk '{ print $1 }' | sort -u)
# this recording's JPEG is not a valid one
names=${names/\/robot\/kind_1}
missing=
for name in $names; do
	# unchanged transforms are published rarely
	n=3
	[[ $name != */kind_10 ]] || n=1
	wait_for 90 has all "$name" $n || { missing=" $name"; break; }
done
[ -n "$names" ] && [ -z "$missing" ]; ok 'messages of all kinds' ||
	echo "# missing:$missing"
wait_for 90 has all /diagnostics 2; ok 'diagnostics'
end kinds all

# ---- static topics, published before anybody subscribed ----

python3 - >"$scratch/laser.clf" <<-'END'
	for t in (1.0, 1.2):
	    print('FLASER 180', ' '.join(['1.0'] * 180), '0 0 0 0 0 0',
	          t, 'host', t)
END
"$bin/log-bag" "$scratch/laser.clf" "$scratch/laser.mcap"
begin fixed "$copy" -x 100 -k 10 -L -d 1000000 -o /tf_static \
	"$scratch/laser.mcap" ros2:1
wait_for 90 is robot '.topics[] | select(.topic == "/tf_static") | .frames > 0'
ok '/tf_static is sent'
end recv; ok 'a receiver ends'
recv recv ros2:0
begin frames timeout 60 "$copy" -n 1 -k 10 -o /tf_static ros2:0 -
wait_for 90 has frames /tf_static 1
ok 'one that is started later has it, and whoever asks there'
end fixed frames

# ---- a viewer of another vendor ----

if [ -x "$bin/fastdds-sub" ] && type ffmpeg >/dev/null 2>&1; then
	ffmpeg -v error -y -f rawvideo -pix_fmt gray -s 160x120 \
		-i "$scratch/frames" -frames:v 1 "$scratch/a.jpg" </dev/null
	begin fast timeout 90 "$bin/fastdds-sub" -n 100000 \
		"image:/front:$scratch/a.jpg"
	robot front "$bin/dds-pub" -r 10 -n 100000 "image:/front:$scratch/a.jpg"
	wait_for 90 lines fast 20
	ok 'JPEG of a camera, shown by Fast DDS' || {
		wc -l "$scratch/fast.out"
		tail -n 3 "$scratch/fast.log" "$scratch/front.log"
		ask recv --json status | jq -c "$(topic /front .)"
	} | sed 's/^/# /'
	end front fast
else
	ok 'Fast DDS # skip none here, or no ffmpeg'
fi

end robot recv; ok 'both end well'
end link
done_testing
