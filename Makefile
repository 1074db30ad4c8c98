# SPDX-License-Identifier: GPL-2.0-only
#
# optsample: see `make help`. All that is made lands in build/.

BUILD	:= build
PREFIX	?= /usr
DESTDIR	?=
SERIES	?= 6.1
VERSION	:= 0.2

CC	?= cc
CXX	?= c++
CLANG	?= clang
CFLAGS	?= -O2 -g
WARN	:= -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) $(CFLAGS) -Iinclude -Iuserspace
ALL_CXXFLAGS := -std=c++17 -D_GNU_SOURCE -Wall -Wextra -Wshadow \
	     -Wno-missing-field-initializers $(CFLAGS) -Iinclude
UAPI	:= -Iinclude/uapi

MODULE	:= $(BUILD)/module/$(SERIES)/sch_optsample.ko
BIN	:= $(BUILD)/bin
LIB	:= $(BUILD)/lib/liboptsample.a
LIB_TESTS := paths split md depth voxel cloudblock rangeimage cloud80 tilecode tiles \
	     mappyramid velodyne vscan vscan_code laserscan blob layers
BRIDGE_TESTS := assembly control bridge camera publish ways receiver budget seal small outage flapping
CODING_TESTS := coding
LINKD_TESTS := linkd linkd_plan linkd_load linkd_pace linkd_link
BAG_TESTS := message bag service
FUSION_TESTS := fusion
GDIMD_TESTS := gdimd_input gdimd_files gdimd_poses
GDIM_TESTS := layer store store_damage site site_area site_graph site_real map_file map_png geopackage
ENDS_TESTS := ends compressed
READINGS_TESTS := readings pairing
SLAM_TESTS := relations occupancy submaps submap_out slam_parts slam_match slam_memory \
	     slam_filter slam_remote slam_placement slam_gmap slam_waiting \
	     slam_checkpoint slam_mapper
BAG_FUZZ := message service mcap rosbag db3 compressed control decode
LIB_FUZZ := split md depth cloudblock rangeimage cloud80 tiles mappyramid velodyne \
	     vscan laserscan blob layers
GDIM_FUZZ := cells_blob layer_words map_file map_yaml poses_file \
	     submap_message inbox http_parse web_request web_auth \
	     view_records
READINGS_FUZZ := carmen csv dat pairing
LIB_BENCH := image cloud map vscan
GDIM_BENCH := fusion store
PROGRAMS := $(addprefix $(BIN)/,optsample optsample-send optsample-recv gdimctl gdimd slamd slam-worker slam-eval \
	     optsample-lab optsample-sim udp-link link-sim link-watch d63-plot hwsim-medium \
	     demo-report image-pub image-sub dds-pub dds-sub fastdds-pub \
	     fastdds-sub app-report dds-writers ros1-pub ros1-sub rtps-gen test_sampler \
	     test_sampler_bounds test_sync test_ros_tag test_rules \
	     test_odometer fuzz_ros_tag fuzz_corpus fuzz_replay) \
	     $(addprefix $(BIN)/,$(LIB_TESTS:%=test_%) $(BRIDGE_TESTS:%=test_%) $(CODING_TESTS:%=test_%) $(LINKD_TESTS:%=test_%) \
	     $(ENDS_TESTS:%=test_%) ends-copy \
	     $(FUSION_TESTS:%=test_%) $(GDIM_TESTS:%=test_%) $(GDIMD_TESTS:%=test_%) store-storm gdim-feed \
	     submap-writer fastdds-submap-writer fastdds-client gdim-bad http-load service-node service-peer \
	     $(BAG_TESTS:%=test_%) test_ros1c client-node fuzz_ros1c \
	     $(LIB_FUZZ:%=fuzz_%) $(BAG_FUZZ:%=fuzz_%) \
	     $(GDIM_FUZZ:%=fuzz_%) $(READINGS_FUZZ:%=fuzz_readings_%) \
	     $(READINGS_TESTS:%=test_%) $(SLAM_TESTS:%=test_%) \
	     test_engine engine-peer engine-pingpong slam-world log-bag)
TESTS	:= tests/run

Q	:= $(if $(V),,@)
msg	= $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo 'make build       everything into build/: programs in build/bin (no root, no VM)'
	@echo 'make demo        a Wi-Fi link in a VM fails for 5 s: what the operator sees;'
	@echo '                 a loop closes: what becomes of the map'
	@echo 'make check       all tests: unit, eBPF, kernel and Wi-Fi in a VM'
	@echo 'make check-full  also other kernels, some that check themselves, long random runs'
	@echo 'make bench       qdisc, classifier, codecs, maps, next to what they replace'
	@echo 'make bench-quality [IMAGES=...]  what the operator sees of images, by loss'
	@echo 'make install     programs, tc plugin, man pages, module source for DKMS'
	@echo 'make clean       remove what was made (make distclean: kernels too)'

packages-%:
	@tools/packages $*

build: packages-build
	$(Q)$(MAKE) --no-print-directory all

all: module tc bpf programs ros1 engine fastdds
programs: $(PROGRAMS)
tc: $(BUILD)/tc/q_optsample.so
ros1: $(BUILD)/ros1/liboptsample-ros1.so
engine: $(BUILD)/engine/engine-mpi.so
fastdds: $(BUILD)/fastdds/fastdds.so
bpf: $(addprefix $(BUILD)/bpf/,ros_tag.bpf.o keep.bpf.o gso_tag.bpf.o lose.bpf.o)

# tools/kernel knows when nothing is to be done
module:
	$(call msg,MODULE,$(SERIES))
	$(Q)mkdir -p $(BUILD); tools/kernel module $(SERIES) >$(BUILD)/.module.out; \
		status=$$?; exit $$status
	$(Q)cp $(MODULE) $(BUILD)/sch_optsample.ko

$(BUILD)/tc/q_optsample.so: $(wildcard userspace/tc/*.[ch]) \
			    include/uapi/linux/pkt_sch_optsample.h \
			    include/optsample/units.h
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(UAPI) -fPIC -shared -o $@ \
		$(filter %.c,$^)

vpath %.bpf.c bpf tests/bpf
$(BUILD)/bpf/%.bpf.o: %.bpf.c $(wildcard bpf/*.h) include/optsample/tag.h \
		      include/optsample/segment.h
	$(call msg,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Werror -Iinclude $(UAPI) \
		-I/usr/include/$(shell $(CC) -print-multiarch) -c -o $@ $<

# program,sources,libraries,extra flags
define program
$(BIN)/$(1): $(2)
	$$(call msg,CC,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $(4) -o $$@ $$(filter %.c,$$^) $(3)
endef

pc = $$(shell pkg-config --cflags $(1)) $$(shell pkg-config --libs $(1))

HEADERS	:= $(wildcard include/optsample/*.h include/uapi/linux/*.h bpf/*.h \
	     tools/*/*.h tests/*/*.h tests/fuzz/include/bpf/*.h \
	     userspace/*/*.h)
IDL	:= $(BUILD)/idl

COMMON	:= $(wildcard userspace/common/*.c)

$(eval $(call program,optsample,$(wildcard userspace/ctl/*.c) $(COMMON) \
	$(IDL)/nav_msgs.c $(IDL)/std_msgs.c $(HEADERS),\
	$(call pc,libnl-3.0 libnl-route-3.0 libnl-genl-3.0 libbpf libcjson) -lddsc \
	-lxmlrpc_client -lxmlrpc -lxmlrpc_util -lz -lm,$(UAPI) -I$(IDL) \
	-DOPTSAMPLE_VERSION='"$(VERSION)"'))
# The library: the same bits on any CPU, whatever it is fed with
LIB_CFLAGS := -O3 -ffp-contract=off -fno-trapping-math -fno-math-errno -fwrapv \
	     -fno-strict-aliasing
LIB_OBJECTS := $(patsubst userspace/lib/%.c,$(BUILD)/lib/%.o,\
	     $(wildcard userspace/lib/*.c))
$(BUILD)/lib/%.o: userspace/lib/%.c $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LIB_CFLAGS) -c -o $@ $<
$(LIB): $(LIB_OBJECTS)
	$(Q)rm -f $@; $(AR) rcs $@ $^

$(foreach t,$(filter-out depth,$(LIB_TESTS)),$(eval $(call program,test_$(t),\
	tests/unit/test_$(t).c $(LIB) $(HEADERS),$(LIB) -lisal -lm,)))
$(eval $(call program,test_depth,tests/unit/test_depth.c \
	userspace/lab/png_file.c $(LIB) $(HEADERS),$(LIB) -lisal -lpng -lm,))

# What the daemons are made of, as objects: many programs have them in common.
# Messages of ROS and recordings; ROS 1 without roscpp; topics and files;
# datagrams; what the link carries
objects = $(patsubst userspace/%.c,$(BUILD)/obj/%.o,$(wildcard $(1)))
$(BUILD)/obj/%.o: userspace/%.c $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(NL_CFLAGS) -c -o $@ $<
BAG	:= $(call objects,userspace/ros/*.c userspace/bag/*.c)
BAG_LIBS := -lsqlite3 -lzstd -llz4 -lbz2 -ljpeg -lpng -lz -lm
ROS1C	:= $(call objects,userspace/ros1c/*.c userspace/common/bytes.c)
ROS1C_LIBS := -lxmlrpc -lxmlrpc_util
LINKD	:= $(call objects,userspace/linkd/*.c)
NL_CFLAGS := $(shell pkg-config --cflags libnl-3.0 libnl-route-3.0 2>/dev/null)
LINKD_LIBS := $(shell pkg-config --libs libnl-3.0 libnl-route-3.0 2>/dev/null) -lm
COMMON_O := $(call objects,userspace/common/*.c)
ENDS	:= $(call objects,userspace/ends/*.c $(addprefix userspace/lab/,\
	     cloud_file.c png_file.c convert.c file.c)) $(BAG) $(ROS1C) $(COMMON_O) \
	     $(LIB)
ENDS_LIBS := -lisal -lddsc $(ROS1C_LIBS) -lcjson $(BAG_LIBS)
# What daemons have in common: settings, a socket to talk to, systemd
DAEMON	:= $(call objects,userspace/daemon/*.c)
DAEMON_LIBS := -lcjson -linih -lmicrohttpd -lsystemd
BRIDGE	:= $(filter-out $(BUILD)/obj/bridge/optsample-%,\
	     $(call objects,userspace/bridge/*.c)) $(DAEMON) $(LINKD)
BRIDGE_LIBS := $(LINKD_LIBS) $(DAEMON_LIBS) -lsodium

LINKD_LOGIC := $(filter-out %/link.o,$(LINKD))

# Submaps to maps: loops over cells, as the library's
FUSION	:= $(patsubst userspace/%.c,$(BUILD)/fusion/%.o,\
	     $(wildcard userspace/fusion/*.c))
$(BUILD)/fusion/%.o: userspace/%.c $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LIB_CFLAGS) -c -o $@ $<
# GDIM, but for its programs
GDIM	:= $(filter-out $(BUILD)/obj/gdim/gdim%.o,\
	     $(call objects,userspace/gdim/*.c)) $(FUSION)
GDIM_LIBS := -lsqlite3 -lzstd -lcjson -lpng -lz \
	     $(shell pkg-config --libs cairo 2>/dev/null) -lm -lpthread
$(BUILD)/obj/gdim/map_figure.o: NL_CFLAGS += \
	$(shell pkg-config --cflags cairo 2>/dev/null)

# program,sources and objects,libraries
define linked
$(BIN)/$(1): $(2)
	$$(call msg,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $$(filter %.c %.o,$$^) \
		$$(filter %.a,$$^) $(3)
endef
$(foreach end,send recv,$(eval $(call linked,optsample-$(end),\
	$(BUILD)/obj/bridge/optsample-$(end).o $(BRIDGE) $(ENDS),\
	$(ENDS_LIBS) $(BRIDGE_LIBS))))
$(eval $(call linked,test_linkd,tests/unit/test_linkd.c tools/link.d/sim.c \
	$(LINKD_LOGIC) $(HEADERS),-lm))
$(foreach t,plan load pace,$(eval $(call linked,test_linkd_$(t),\
	tests/unit/test_linkd_$(t).c $(LINKD_LOGIC) $(HEADERS),-lm)))
$(eval $(call linked,test_linkd_link,tests/unit/test_linkd_link.c $(LINKD) \
	$(HEADERS),$(LINKD_LIBS)))
$(BUILD)/fastdds/fastdds.so: userspace/fastdds/services.cpp \
		userspace/fastdds/raw_type.hpp userspace/ends/fastdds.h
	$(call msg,CXX,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -Iuserspace -fPIC -shared \
		-fvisibility=hidden -o $@ $< -lfastrtps -lfastcdr
$(eval $(call linked,service-node,tests/ends/service-node.c $(ENDS) $(HEADERS),\
	$(ENDS_LIBS)))
$(eval $(call program,service-peer,tests/ends/service-peer.c \
	$(addprefix $(IDL)/,gdim_msgs.c nav_msgs.c std_msgs.c) $(HEADERS),\
	-lddsc,-I$(IDL)))
$(eval $(call linked,ends-copy,tests/ends/ends-copy.c $(ENDS),$(ENDS_LIBS)))
$(eval $(call linked,test_ends,tests/unit/test_ends.c $(ENDS) $(HEADERS),\
	$(ENDS_LIBS)))
$(eval $(call linked,test_compressed,tests/unit/test_compressed.c $(BAG) $(LIB) \
	$(HEADERS),$(BAG_LIBS)))
# the experiments of D6.3
D63	:= blob flow jpeg score plot strip
$(eval $(call linked,d63-blob,tools/bench.d/d63-blob.c $(LIB) $(HEADERS) \
	tools/bench.d/d63.d/netns.h,-lisal -lm))
$(eval $(call linked,d63-flow,tools/bench.d/d63-flow.c \
	tools/bench.d/d63.d/netns.h,))
$(eval $(call linked,d63-jpeg,tools/bench.d/d63-jpeg.c,-ljpeg -lm))
$(eval $(call linked,d63-score,tools/bench.d/d63-score.c $(BAG) $(LIB) \
	$(HEADERS),$(BAG_LIBS)))
$(eval $(call linked,d63-plot,tools/bench.d/d63-plot.c \
	tools/link.d/canvas.c tools/link.d/canvas.h,$$$$(pkg-config \
	--cflags --libs cairo) -lm))
$(eval $(call linked,d63-strip,tools/bench.d/d63-strip.c,$$$$(pkg-config \
	--cflags --libs cairo) -lpng -lm))
$(eval $(call linked,udp-link,tools/udp-link.c $(COMMON_O),))
$(foreach t,$(BRIDGE_TESTS),$(eval $(call linked,test_$(t),\
	tests/unit/test_$(t).c $(BRIDGE) $(ENDS) $(HEADERS),\
	$(ENDS_LIBS) $(BRIDGE_LIBS))))
# with gates before the codecs
$(foreach t,$(CODING_TESTS),$(eval $(call linked,test_$(t),\
	tests/unit/test_$(t).c $(BRIDGE) $(ENDS) $(HEADERS),\
	$(ENDS_LIBS) $(BRIDGE_LIBS) -Xlinker --wrap=encoder_encode \
	-Xlinker --wrap=decoder_frame)))
$(foreach t,$(BAG_TESTS),$(eval $(call linked,test_$(t),tests/unit/test_$(t).c \
	$(BAG) $(LIB) $(HEADERS),$(BAG_LIBS))))
$(eval $(call linked,gdimctl,$(call objects,userspace/gdimctl/*.c) $(GDIM) \
	$(BAG) $(COMMON_O) $(LIB),$(GDIM_LIBS) $(BAG_LIBS) -lisal))
GDIMD	:= $(filter-out %/gdimd.o,$(call objects,userspace/gdimd/*.c)) $(GDIM) \
	     $(DAEMON) $(ENDS)
GDIMD_LIBS := $(ENDS_LIBS) $(DAEMON_LIBS) $(GDIM_LIBS)
$(eval $(call linked,gdimd,$(BUILD)/obj/gdimd/gdimd.o $(GDIMD),$(GDIMD_LIBS)))
$(foreach t,$(GDIMD_TESTS),$(eval $(call linked,test_$(t),\
	tests/unit/test_$(t).c $(GDIMD) $(HEADERS),$(GDIMD_LIBS))))
$(foreach t,$(FUSION_TESTS),$(eval $(call linked,test_$(t),\
	tests/unit/test_$(t).c $(FUSION) $(LIB) $(HEADERS),-lm -lpthread)))
$(foreach t,$(GDIM_TESTS),$(eval $(call linked,test_$(t),\
	tests/unit/test_$(t).c $(GDIM) $(COMMON_O) $(LIB) $(HEADERS),\
	$(GDIM_LIBS))))
# Laser logs; the messages of workers; SLAM, the same bits on any CPU
READINGS := $(call objects,userspace/readings/*.c) $(BAG) $(COMMON_O) $(LIB)
READINGS_LIBS := $(BAG_LIBS) -lisal
ENGINE	:= $(filter-out %/mpi.o,$(call objects,userspace/engine/*.c))
ENGINE_LIBS := -lrabbitmq -lpthread
SLAM	:= $(BUILD)/slam/libslam.a
$(SLAM): $(patsubst userspace/%.c,$(BUILD)/slam/%.o,$(wildcard userspace/slam/*.c))
	$(Q)rm -f $@; $(AR) rcs $@ $^
$(BUILD)/slam/%.o: userspace/%.c $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LIB_CFLAGS) -c -o $@ $<
$(BUILD)/engine/engine-mpi.so: userspace/engine/mpi.c $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared $$(pkg-config --cflags ompi-c) \
		-o $@ $< $$(pkg-config --libs ompi-c)
SLAMD	:= $(filter-out %/slamd.o,$(call objects,userspace/slamd/*.c)) $(SLAM) \
	     $(ENGINE) $(GDIM) $(call objects,userspace/readings/*.c) $(BRIDGE) \
	     $(ENDS)
SLAMD_LIBS := $(ENDS_LIBS) $(ENGINE_LIBS) $(GDIM_LIBS) $(BRIDGE_LIBS)
$(eval $(call linked,slamd,$(BUILD)/obj/slamd/slamd.o $(SLAMD),$(SLAMD_LIBS)))
# the same without its vector code, and figures: for tools/bench
$(eval $(call linked,slamd-plain,tools/bench.d/slam-plain.c \
	$(BUILD)/obj/slamd/slamd.o $(SLAMD) $(HEADERS),$(SLAMD_LIBS)))
$(eval $(call linked,slam-plot,tools/bench.d/slam-plot.c tools/link.d/plot.c \
	tools/link.d/canvas.c tools/link.d/plot.h tools/link.d/canvas.h,$$$$(pkg-config \
	--cflags --libs cairo) -lm))
$(eval $(call linked,slam-worker,$(call objects,userspace/slamworker/*.c) \
	$(BUILD)/obj/slamd/cluster.o $(SLAM) $(ENGINE) $(GDIM) $(COMMON_O) \
	$(LIB),$(ENGINE_LIBS) $(GDIM_LIBS)))
$(eval $(call linked,slam-world,tests/slam/slam-world.c $(HEADERS),-lm))
$(eval $(call linked,log-bag,tests/slam/log-bag.c $(READINGS) $(ENDS) \
	$(HEADERS),$(ENDS_LIBS)))
$(eval $(call linked,slam-eval,$(call objects,userspace/slameval/*.c) $(SLAM) \
	$(READINGS) $(GDIM),$(READINGS_LIBS) $(GDIM_LIBS)))
$(foreach t,$(READINGS_TESTS) $(filter-out submap_out,$(SLAM_TESTS)),$(eval $(call linked,test_$(t),\
	tests/unit/test_$(t).c $(SLAMD) $(HEADERS),$(SLAMD_LIBS))))
$(eval $(call linked,test_submap_out,tests/unit/test_submap_out.c \
	$(addprefix $(BUILD)/obj/slamd/,map_out.o submap_out.o) \
	$(call objects,userspace/readings/*.c) $(SLAM) $(GDIMD) $(HEADERS),\
	$(GDIMD_LIBS)))
$(eval $(call linked,test_engine,tests/unit/test_engine.c $(ENGINE) \
	$(COMMON_O) $(HEADERS),$(ENGINE_LIBS)))
$(foreach p,peer pingpong,$(eval $(call linked,engine-$(p),\
	tests/slam/engine-$(p).c $(ENGINE) $(COMMON_O) $(HEADERS),\
	$(ENGINE_LIBS))))
$(BUILD)/obj/gdimctl/view_page.o: $(wildcard userspace/gdimctl/view*.html \
	userspace/gdimctl/view*.js)
$(foreach b,$(GDIM_BENCH),$(eval $(call linked,bench_$(b),\
	tools/bench.d/bench_$(b).c $(GDIM) $(COMMON_O) $(LIB) $(HEADERS),\
	$(GDIM_LIBS))))
$(eval $(call linked,http-load,tests/gdim/http-load.c $(COMMON_O) $(HEADERS),))
$(eval $(call linked,gdim-feed,tests/gdim/gdim-feed.c $(GDIM) $(ENDS) \
	$(HEADERS),$(ENDS_LIBS) $(GDIM_LIBS)))
$(eval $(call linked,submap-writer,$(addprefix tests/gdim/,submap-writer.c \
	submap-writer-message.c) $(ENDS) $(HEADERS),$(ENDS_LIBS)))
$(BIN)/fastdds-submap-writer: tests/gdim/fastdds-submap-writer.cpp \
		$(BUILD)/obj-test/submap-writer-message.o $(BAG) $(LIB) \
		tests/gdim/fastdds_raw.hpp userspace/fastdds/raw_type.hpp
	$(call msg,CXX,$@)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -Iuserspace -Itests/gdim -o $@ $< \
		$(filter %.o,$^) $(filter %.a,$^) -lfastrtps -lfastcdr \
		-lisal $(BAG_LIBS)
$(BUILD)/obj-test/%.o: tests/gdim/%.c $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(BIN)/fastdds-client: tests/ends/fastdds-client.cpp \
		$(BUILD)/obj-test/fastdds-client-message.o $(BAG) $(LIB) \
		tests/gdim/fastdds_raw.hpp userspace/fastdds/raw_type.hpp \
		tests/ends/fastdds-client.h
	$(call msg,CXX,$@)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -Iuserspace -Itests/gdim -o $@ $< \
		$(filter %.o,$^) $(filter %.a,$^) -lfastrtps -lfastcdr \
		-lisal $(BAG_LIBS)
$(BUILD)/obj-test/%.o: tests/ends/%.c $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(eval $(call linked,gdim-bad,$(addprefix tests/gdim/,gdim-bad.c \
	gdim-bad-messages.c) $(ENDS) $(HEADERS),$(ENDS_LIBS)))
$(eval $(call linked,store-storm,$(addprefix tests/gdim/,store-storm.c \
	store-model.c cut-vfs.c) $(GDIM) \
	$(COMMON_O) $(LIB) $(HEADERS),$(GDIM_LIBS)))
$(eval $(call linked,test_ros1c,tests/unit/test_ros1c.c $(ROS1C) $(HEADERS),\
	$(ROS1C_LIBS)))
$(eval $(call linked,client-node,tests/ros1/client-node.c $(ROS1C) $(HEADERS),\
	$(ROS1C_LIBS) -lz))

lib-tests:
	@echo $(LIB_TESTS) $(FUSION_TESTS) $(GDIM_TESTS) $(GDIMD_TESTS) $(BRIDGE_TESTS) $(CODING_TESTS) $(LINKD_TESTS) $(BAG_TESTS) $(ENDS_TESTS) \
		$(READINGS_TESTS) $(SLAM_TESTS) ros1c

# its decoders, with sanitizers, under libFuzzer
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize=alignment \
	     -fno-sanitize-recover=undefined
LIB_CLANG := $(LIB_OBJECTS:$(BUILD)/lib/%=$(BUILD)/fuzz-lib/lib/%)
BAG_CLANG := $(patsubst $(BUILD)/obj/%,$(BUILD)/fuzz-lib/%,$(BAG) \
	     $(filter %/assembly.o %/control.o %/codec.o %/budget.o \
	     $(BUILD)/obj/bridge/decode% $(BUILD)/obj/bridge/transforms.o,$(BRIDGE)))
# GDIM's decoders need little of each other: an archive
GDIM_CLANG := $(patsubst userspace/%.c,$(BUILD)/fuzz-lib/%.o,\
	     $(filter-out %/map_figure.c,$(wildcard \
	     userspace/fusion/*.c userspace/gdim/*.c userspace/common/*.c \
	     userspace/ros/*.c userspace/bag/*.c \
	     $(addprefix userspace/gdimd/,config.c inbox.c \
	     http_parse.c matcher.c room_message.c stamps.c stars.c \
	     submap_message.c web_auth.c \
	     web_request.c) \
	     $(addprefix userspace/,gdimctl/view_page.c gdimctl/view_records.c \
	     daemon/settings.c ends/ends.c))))
GDIM_FUZZ_LIB := $(BUILD)/fuzz-lib/gdim.a
$(GDIM_FUZZ_LIB): $(GDIM_CLANG) $(LIB_CLANG)
	$(Q)rm -f $@; $(AR) rcs $@ $^
ROS1C_CLANG := $(ROS1C:$(BUILD)/obj/%=$(BUILD)/fuzz-lib/%)
$(BUILD)/fuzz-lib/%.o: userspace/%.c $(HEADERS)
	$(call msg,CLANG,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(ALL_CFLAGS) $(LIB_CFLAGS) $(SANITIZE) \
		-fsanitize=fuzzer-no-link -c -o $@ $<
# decoder,objects,libraries
define fuzzer
$(BIN)/fuzz_$(1): tests/fuzz/fuzz_$(1).c $(2) $(HEADERS)
	$$(call msg,CLANG,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CLANG) $$(ALL_CFLAGS) $$(SANITIZE) -fsanitize=fuzzer -o $$@ \
		$$< $$(filter %.o %.a,$$^) $(3)
endef
$(foreach t,$(LIB_FUZZ),$(eval $(call fuzzer,$(t),$(LIB_CLANG),-lisal -lm)))
$(foreach t,$(BAG_FUZZ),$(eval $(call fuzzer,$(t),$(BAG_CLANG) $(LIB_CLANG),\
	-lisal $(BAG_LIBS))))
$(foreach t,$(GDIM_FUZZ),$(eval $(call fuzzer,$(t),$(GDIM_FUZZ_LIB),\
	$(GDIM_LIBS) $(BAG_LIBS) -linih -lisal)))
$(foreach t,$(READINGS_FUZZ),$(eval $(call fuzzer,readings_$(t),\
	$(patsubst userspace/%.c,$(BUILD)/fuzz-lib/%.o,\
	$(wildcard userspace/readings/*.c)) $(GDIM_FUZZ_LIB),\
	$(GDIM_LIBS) $(BAG_LIBS) -linih -lisal)))
$(eval $(call fuzzer,ros1c,$(ROS1C_CLANG),$(ROS1C_LIBS)))

# what it costs and what it shows; the peer of the voxel filter is PCL
$(foreach b,image map vscan,$(eval $(call program,bench_$(b),\
	tools/bench.d/bench_$(b).c $(addprefix userspace/lab/,convert.c png_file.c) \
	$(LIB) $(HEADERS),$(LIB) -lisal -lpng -lz -lm,)))
$(BUILD)/bench/pcl_voxel.o: tools/bench.d/pcl_voxel.cpp tools/bench.d/pcl_voxel.h
	$(call msg,CXX,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -O3 $$(pkg-config --cflags pcl_filters | sed 's/-I/-isystem/g') \
		-c -o $@ $<
$(BIN)/bench_cloud: tools/bench.d/bench_cloud.c $(BUILD)/bench/pcl_voxel.o $(LIB) \
		$(HEADERS)
	$(call msg,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(BUILD)/bench/pcl_voxel.o $(LIB) -lisal \
		$$(pkg-config --libs pcl_filters) -lstdc++ -lm
$(eval $(call program,quality,tools/bench.d/quality.c \
	tools/bench.d/quality_depth.c \
	$(addprefix userspace/lab/,convert.c loss.c png_file.c) \
	userspace/common/cli.c userspace/common/parse.c \
	$(LIB) $(HEADERS),$(LIB) -lisal -lpng -lm,))

$(eval $(call program,optsample-lab,$(wildcard userspace/lab/*.c) $(COMMON) \
	$(LIB) $(HEADERS),$(LIB) -lisal -lpng -lm,))
$(eval $(call program,link-sim,tools/link-sim.c $(wildcard tools/link.d/*.c) \
	$(filter-out %/link.c,$(wildcard userspace/linkd/*.c)) $(COMMON) \
	$(HEADERS),$(call pc,cairo) -lm,-Itools))
$(eval $(call program,link-watch,tools/link-watch.c tools/link.d/plot.c tools/link.d/canvas.c \
	tools/link.d/trace.c $(COMMON) $(HEADERS),\
	$(call pc,cairo libcjson) -lm,-Itools))
$(eval $(call program,optsample-sim,tools/optsample-sim.c \
	$(wildcard tools/sim/*.c) $(HEADERS),-lm -lpng,-Itools))
$(eval $(call program,hwsim-medium,tools/hwsim-medium.c $(HEADERS),\
	$(call pc,libnl-3.0 libnl-genl-3.0),-Itools))
$(eval $(call program,demo-report,tools/demo-report.c \
	$(wildcard tools/demo.d/*.c) $(HEADERS),\
	$(call pc,cairo) -lm,-Itools))
$(eval $(call program,image-pub,tests/e2e/image-pub.c \
	$(IDL)/sensor_msgs.c $(IDL)/std_msgs.c $(HEADERS),\
	-lddsc -lz,-I$(IDL)))
$(eval $(call program,image-sub,tests/e2e/image-sub.c \
	$(IDL)/sensor_msgs.c $(IDL)/std_msgs.c $(HEADERS),\
	-lddsc -lz,-I$(IDL)))
$(foreach end,pub sub,$(eval $(call program,dds-$(end),tests/e2e/dds-$(end).c \
	$(addprefix $(IDL)/,nav_msgs.c sensor_msgs.c std_msgs.c) $(HEADERS),\
	-lddsc -lz,-I$(IDL))))
$(eval $(call program,app-report,tests/e2e/app-report.c $(HEADERS),-lm,))
$(eval $(call program,test_rules,tests/ros1/test_rules.c \
	userspace/ros1/rules.c $(HEADERS),,))
$(eval $(call program,dds-writers,tests/kselftest/dds-writers.c \
	$(IDL)/sensor_msgs.c $(IDL)/std_msgs.c $(HEADERS),-lddsc,-I$(IDL)))
$(eval $(call program,rtps-gen,tests/kselftest/rtps-gen.c,,))
$(eval $(call program,test_sampler,tests/unit/test_sampler.c $(HEADERS),-lm,))
$(eval $(call program,test_sampler_bounds,tests/unit/test_sampler_bounds.c \
	$(HEADERS),-lm,))
$(eval $(call program,test_sync,tests/unit/test_sync.c $(HEADERS),,))
$(eval $(call program,test_odometer,tests/unit/test_odometer.c \
	userspace/ctl/odometer.c $(HEADERS),-lm,))
$(eval $(call program,fuzz_corpus,$(addprefix tests/,fuzz/fuzz_corpus.c \
	fuzz/input.c bpf/packet.c bpf/frame.c) $(HEADERS),,-Itests/bpf))
$(eval $(call program,test_ros_tag,$(filter-out %.bpf.c,\
	$(wildcard tests/bpf/*.c)) $(HEADERS),$(call pc,libbpf),$(UAPI)))

# The classifier in user space. kernel.c includes the program.
FUZZ	:= -Itests/fuzz/include $(UAPI)
$(BIN)/fuzz_replay $(BIN)/fuzz_ros_tag: bpf/ros_tag.bpf.c
$(BIN)/fuzz_replay: $(addprefix tests/,fuzz/replay.c fuzz/kernel.c fuzz/input.c \
		    bpf/program.c) $(HEADERS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(FUZZ) -Itests/bpf $(ALL_CFLAGS) -o $@ \
		$(filter tests/%.c,$^) $$(pkg-config --libs libbpf)
$(BIN)/fuzz_ros_tag: $(addprefix tests/fuzz/,fuzz_ros_tag.c kernel.c input.c \
		     ref.c ref_parse.c) $(HEADERS)
	$(call msg,CLANG,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ) $(ALL_CFLAGS) -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize=alignment -fno-sanitize-recover=undefined \
		-o $@ $(filter tests/%.c,$^)

# peers that are only to be had in C++
$(BIN)/fastdds-%: tests/e2e/fastdds-%.cpp tests/e2e/fastdds.hpp tests/e2e/app.h
	$(call msg,CXX,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -o $@ $< -lfastrtps -lfastcdr -lz

$(BIN)/ros1-%: tests/ros1/ros1-%.cpp tests/ros1/topic.h
	$(call msg,CXX,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -o $@ $< $$(pkg-config --libs roscpp) -lz

# the library for roscpp: only for the very one that it was built against
ROS1	:= $(BUILD)/ros1
ROSCPP	:= $(shell $(CC) -print-file-name=libroscpp.so)
ROS1_DEPENDS := $(wildcard userspace/ros1/*.h include/optsample/*.h) \
	     $(ROS1)/build_id.h

$(ROS1)/build_id.h: userspace/ros1/build_id.sh $(realpath $(ROSCPP))
	$(Q)mkdir -p $(@D)
	$(Q)$< $(ROSCPP) >$@
$(ROS1)/%.o: userspace/ros1/%.c $(ROS1_DEPENDS)
	$(call msg,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -I$(ROS1) -c -o $@ $<
$(ROS1)/%.o: userspace/ros1/%.cpp $(ROS1_DEPENDS)
	$(call msg,CXX,$@)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -fPIC -c -o $@ $<
$(ROS1)/liboptsample-ros1.so: userspace/ros1/link.map \
		$(addprefix $(ROS1)/,rules.o guard.o outbox.o link.o)
	$(call msg,LD,$@)
	$(Q)$(CXX) -shared -Wl,--version-script=$< -o $@ $(filter %.o,$^) \
		-lroscpp

$(IDL)/%.c: idl/%.idl $(wildcard idl/*.idl)
	$(call msg,IDLC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)idlc -t -o $(@D) $<

demo: build packages-check
	tools/demo
	tools/demo-gdim
	tools/demo-slam

check: build packages-check
	$(TESTS) check

check-full: build packages-check packages-check-full
	$(TESTS) check-full

# what tools/bench and tools/d63 run
bench-build: build packages-check packages-check-full
	$(Q)$(MAKE) --no-print-directory $(LIB_BENCH:%=$(BIN)/bench_%) \
		$(GDIM_BENCH:%=$(BIN)/bench_%) \
		$(D63:%=$(BIN)/d63-%) $(BIN)/slamd-plain $(BIN)/slam-plot

bench: bench-build
	tools/bench
	tools/d63

# means over these images, and each by name
IMAGES	?= $(wildcard ../shared/data/images/*.png)
bench-quality: packages-build
	$(Q)$(MAKE) --no-print-directory $(BIN)/quality
	$(BIN)/quality $(IMAGES)

# where Debian's tc looks
TCLIB	:= $(DESTDIR)$(PREFIX)/lib/$(shell $(CC) -print-multiarch)/tc
DKMS	:= $(DESTDIR)/usr/src/optsample-$(VERSION)

install: build
	install -D -m 755 $(BIN)/optsample $(DESTDIR)$(PREFIX)/sbin/optsample
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(addprefix $(BIN)/optsample-,\
		sim lab send recv) $(BIN)/gdimd $(BIN)/gdimctl \
		$(addprefix $(BIN)/slam,d -worker -eval)
	install -D -m 755 $(BUILD)/fastdds/fastdds.so \
		$(DESTDIR)$(PREFIX)/lib/optsample/fastdds.so
	install -D -m 755 $(BUILD)/engine/engine-mpi.so \
		$(DESTDIR)$(PREFIX)/lib/optsample/engine-mpi.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gdim_msgs \
		idl/gdim_msgs/package.xml idl/gdim_msgs/CMakeLists.txt
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gdim_msgs/msg \
		idl/gdim_msgs/msg/*.msg
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gdim_msgs/srv \
		idl/gdim_msgs/srv/*.srv
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system \
		userspace/bridge/systemd/*.service userspace/gdimd/systemd/*.service
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/optsample \
		userspace/bridge/systemd/*.conf userspace/gdimd/systemd/*.conf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/optsample \
		$(BUILD)/bpf/ros_tag.bpf.o $(BUILD)/bpf/keep.bpf.o
	install -D -m 644 $(BUILD)/tc/q_optsample.so $(TCLIB)/q_optsample.so
	install -D -m 644 $(ROS1)/liboptsample-ros1.so \
		$(DESTDIR)$(PREFIX)/lib/optsample/liboptsample-ros1.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 \
		Documentation/tc-optsample.8 Documentation/optsample.8 \
		Documentation/gdimd.8 Documentation/slamd.8 \
		Documentation/slam-worker.8
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(addprefix Documentation/optsample-,lab.1 send.1 recv.1) \
		Documentation/gdimctl.1 Documentation/slam-eval.1
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man7 \
		Documentation/optsample-ros1.7
	install -D -m 644 -t $(DKMS) Kbuild dkms.conf
	install -D -m 644 -t $(DKMS)/kernel kernel/*.[ch]
	install -D -m 644 -t $(DKMS)/include/optsample include/optsample/*.h
	install -D -m 644 -t $(DKMS)/include/uapi/linux include/uapi/linux/*.h
	@echo 'module: dkms install optsample/$(VERSION)'

clean:
	rm -rf $(addprefix $(BUILD)/,bin lib obj fusion fuzz-lib tc bpf idl ros1 demo/run demo/gdim module check \
		sch_optsample.ko .module.out)

distclean:
	rm -rf $(BUILD)

.PHONY: help build all programs tc bpf ros1 module demo check check-full bench bench-build \
	bench-quality lib-tests install clean distclean
