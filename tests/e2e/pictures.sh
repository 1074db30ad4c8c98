# SPDX-License-Identifier: GPL-2.0-only
#
# pictures.sh - what the cameras of the applications see
#
# Sourced, by tests with $top and $scratch.

# pictures MADE_UP [FILTER]: $rgb and $depth, payloads of three messages each:
# recorded ones, depth through ffmpeg's FILTER, if $OPTSAMPLE_DATA/images has
# any (../shared/data), else random bytes; those of depth of MADE_UP sizes
pictures()
{
	local images=${OPTSAMPLE_DATA-$top/../shared/data}/images i

	rgb=40000+41000+39000 depth=$1
	for i in 1 2 3; do
		ffmpeg -v error -i "$images/rgbd_color_640x480_$i.png" \
			-q:v 5 "$scratch/rgb$i.jpg" &&
		if [ -n "${2-}" ]; then
			ffmpeg -v error \
				-i "$images/rgbd_depth_640x480_16_$i.png" \
				-vf "$2" "$scratch/depth$i.png"
		else
			cp "$images/rgbd_depth_640x480_16_$i.png" \
				"$scratch/depth$i.png"
		fi || {
			echo "# made-up pictures"
			return
		}
	done 2>/dev/null </dev/null
	rgb=$scratch/rgb1.jpg+$scratch/rgb2.jpg+$scratch/rgb3.jpg
	depth=$scratch/depth1.png+$scratch/depth2.png+$scratch/depth3.png
}
