# SPDX-License-Identifier: GPL-2.0-only
#
# pictures.sh - images for the cameras of the applications
#
# Sourced, by tests with $top and $scratch.

# recorded DIR [FILTER]: three pictures of colour and three of depth, these
# through ffmpeg's FILTER, from $OPTSAMPLE_DATA/images (../shared/data)
recorded()
{
	local images=${OPTSAMPLE_DATA-$top/../shared/data}/images i

	mkdir -p "$1" || return
	for i in 1 2 3; do
		ffmpeg -y -v error -i "$images/rgbd_color_640x480_$i.png" \
			-q:v 5 "$1/rgb$i.jpg" &&
		ffmpeg -y -v error -i "$images/rgbd_depth_640x480_16_$i.png" \
			${2:+-vf "$2"} "$1/depth$i.png" || return
	done 2>/dev/null </dev/null
}

# pictures MADE_UP [FILTER]: $rgb and $depth, payloads of three messages each:
# recorded ones, or random bytes, those of depth of MADE_UP sizes. A guest has
# no ffmpeg and takes those of build/pictures
pictures()
{
	local dir=$top/build/pictures

	[ -n "${VM-}" ] || { dir=$scratch; recorded "$dir" "${2-}"; }
	if [ -f "$dir/depth3.png" ]; then
		rgb=$dir/rgb1.jpg+$dir/rgb2.jpg+$dir/rgb3.jpg
		depth=$dir/depth1.png+$dir/depth2.png+$dir/depth3.png
	else
		echo "# made-up pictures"
		rgb=40000+41000+39000 depth=$1
	fi
}
