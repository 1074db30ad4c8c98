# SPDX-License-Identifier: GPL-2.0-only
SRCS	:=
EXTRA	:= bench_image bench_cloud bench_map bench_vscan bench_fusion bench_store quality \
	   d63-blob d63-flow d63-jpeg d63-score d63-strip slamd-plain slam-plot
PROGRAMS := d63-plot
PKGS	:= cairo

bench_image.USES := formats
bench_map.USES := codec/grid
bench_vscan.USES := codec/scan formats
bench_fusion.USES := map/io
bench_store.USES := map/store
quality.USES := formats
quality.SRCS := tools/bench.d/quality_depth.c userspace/apps/optsample-lab/loss.c
d63-blob.USES := codec/core
d63-jpeg.LIBS := -ljpeg -lm
d63-score.USES := ros/bag
d63-plot.USES := tools/link.d
d63-strip.LIBS := -lpng -lm
slam-plot.USES := tools/link.d
# the same without its vector code
slamd-plain.USES := apps/slamd
slamd-plain.SRCS := userspace/apps/slamd/slamd.c
# the peer of the voxel filter
bench_cloud.USES := formats
bench_cloud.SRCS := tools/bench.d/pcl_voxel.cpp
bench_cloud.PKGS := pcl_filters
pcl_voxel.FLAGS := -O3 $$(pkg-config --cflags pcl_filters | sed 's/-I/-isystem/g')
