# SPDX-License-Identifier: GPL-2.0-only
SRCS	:=
EXTRA	:= bench_image bench_cloud bench_map bench_vscan bench_fusion bench_store quality \
	   figures-blob figures-flow figures-jpeg figures-score figures-strip slamd-plain slam-plot
TOOLS	:= figures-plot
PKGS	:= cairo

bench_image.USES := formats
bench_map.USES := codec/grid
bench_map.LIBS := -lz
bench_vscan.USES := codec/scan formats
bench_fusion.USES := map/io
bench_store.USES := map/store
quality.USES := formats
quality.SRCS := tools/bench/quality_depth.c userspace/apps/optsample-lab/loss.c
figures-blob.USES := codec/core
figures-jpeg.LIBS := -ljpeg -lm
figures-score.USES := ros/bag
figures-plot.USES := tools/sim
figures-strip.LIBS := -lpng -lm
slam-plot.USES := tools/sim
# the same without its vector code
slamd-plain.USES := apps/slamd
slamd-plain.SRCS := userspace/apps/slamd/slamd.c
# the peer of the voxel filter
bench_cloud.USES := formats
bench_cloud.SRCS := tools/bench/pcl_voxel.cpp
bench_cloud.PKGS := pcl_filters
pcl_voxel.FLAGS := -O3 $$(pkg-config --cflags pcl_filters | sed 's/-I/-isystem/g')
