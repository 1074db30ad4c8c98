# SPDX-License-Identifier: GPL-2.0-only
#
# optsample: see `make help`. The build writes to build/ only.

BUILD	:= build
PREFIX	?= /usr
DESTDIR	?=
SERIES	?= 6.1
VERSION	:= 0.2

CC	?= cc
CXX	?= c++
CLANG	?= clang
PKG_CONFIG ?= pkg-config
CFLAGS	?= -O2 -g
CXXFLAGS ?= $(CFLAGS)
# clang has another name for it
MULTIARCH := $(firstword $(foreach m,$(shell { $(CC) -print-multiarch; gcc -print-multiarch; \
	$(CC) -dumpmachine; } 2>/dev/null),$(if $(wildcard /usr/include/$(m)/.),$(m))))
UAPI	:= -Iinclude/uapi
COMMON	:= -D_GNU_SOURCE -DOPTSAMPLE_VERSION='"$(VERSION)"' -Wall -Wextra -Wshadow \
	   -Wno-missing-field-initializers $(CPPFLAGS) -Iinclude -Iuserspace
ALL_CFLAGS := -std=gnu11 $(COMMON) -Wmissing-prototypes -Wstrict-prototypes $(CFLAGS)
ALL_CXXFLAGS := -std=c++17 $(COMMON) $(CXXFLAGS)
# code that gives the same bits on every CPU and for any input
EXACT	:= -O3 -ffp-contract=off -fno-trapping-math -fno-math-errno -fwrapv \
	   -fno-strict-aliasing
# fuzzers and what they are linked with
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize=alignment \
	   -fno-sanitize-recover=undefined

BIN	:= $(BUILD)/bin
MODULE	:= $(BUILD)/module/$(SERIES)/sch_optsample.ko

Q	:= $(if $(V),,@)
msg	= $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo 'make programs    what make install installs, into build/ (no root, no network)'
	@echo 'make build       everything: programs, module, tests; installs packages first'
	@echo 'make demo        a Wi-Fi link in a VM fails for 5 s: what the operator sees;'
	@echo '                 a loop closes: what becomes of the map; the page'
	@echo 'make check       all tests: unit, eBPF, kernel and Wi-Fi in a VM'
	@echo 'make test T=NAME one of them, or several; make test-list: which'
	@echo 'make check-full  also other kernels, some that check themselves, long random runs'
	@echo 'make check-distros  the packages in each release of Debian'
	@echo 'make bench       qdisc, classifier, codecs, maps, next to what they replace'
	@echo 'make bench-quality [IMAGES=...]  what the operator sees of images, by loss'
	@echo 'make install     programs, tc plugin, man pages, module source for DKMS;'
	@echo '                 DESTDIR, PREFIX, see tools/make/install.mk; make uninstall'
	@echo 'make deb         Debian packages, into build/deb'
	@echo 'make clean       remove what was made (make distclean: kernels too)'

# packages first: what follows asks pkg-config and the compiler
packages-%:
	@tools/packages $(subst +, ,$*)

# again, with all processors, for what was just installed
again = +$(Q)$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
build: packages-queue+programs+options+build
	$(again) all

include tools/make/options.mk
include tools/make/rules.mk
include tools/make/install.mk
include tools/make/deb.mk
include tools/make/bench.mk

all: module bpf programs tests
objects = $(patsubst %.bpf.c,$(BUILD)/bpf/%.bpf.o,$(notdir $(wildcard $(1))))
PROGRAM_BPF := $(call objects,bpf/*.bpf.c)
programs: left_out $(PROGRAMS_BUILT) $(HELPERS_BUILT) $(PLUGINS) $(PROGRAM_BPF)
tests: $(TOOLS_BUILT) $(TESTS_BUILT) $(FUZZERS)
bpf: $(PROGRAM_BPF) $(call objects,tests/bpf/*.bpf.c)

# tools/machines/kernel knows when nothing is to be done
module:
	$(call msg,MODULE,$(SERIES))
	$(Q)mkdir -p $(BUILD); \
		OPTSAMPLE_BUILD=$(abspath $(BUILD)) tools/machines/kernel module $(SERIES) >$(BUILD)/.module.out
	$(Q)cp $(MODULE) $(BUILD)/sch_optsample.ko

vpath %.bpf.c bpf tests/bpf
$(BUILD)/bpf/%.bpf.o: %.bpf.c $(COMMANDS) $(wildcard bpf/*.h) \
		      include/optsample/tag.h include/optsample/segment.h | $(FOUND)
	$(call msg,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Werror -Iinclude $(UAPI) \
		-I/usr/include/$(MULTIARCH) -c -o $@ $<

# the unit tests that tests/unit/all.sh runs; the others are tests of their own
lib-tests:
	@echo $(filter-out sampler sampler_bounds sync odometer,$(call names,TESTS))

# for tests/unit/surface.sh
program-names:
	@printf '%s\n' $(notdir $(PROGRAMS_BUILT))

# what the demo runs, and nothing else
demo-build: module $(PROGRAM_BPF) $(BUILD)/tc/q_optsample.so $(addprefix $(BIN)/,optsample optsample-discover \
	optsample-sim rtps-gen demo-report hwsim-medium image-pub image-sub gdimd gdimctl slamd \
	slam-worker slam-eval slam-world optsample-send optsample-view robot-drive udp-link)

demo: packages-queue+programs+demo
	$(again) demo-build
	tools/demo/wifi
	tools/demo/maps
	tools/demo/slam
	tools/demo/view

check: build packages-demo+check
	tests/run check

ifeq ($(T)$(filter test,$(MAKECMDGOALS)),test)
$(error missing T="NAME ...", see make test-list)
endif
test: build packages-demo+check
	@tests/run check $(T)

test-list:
	@tests/run list

check-full: build packages-demo+check+check-full
	tests/run check-full

# in each release a build, an upgrade, an outage in a VM, and a purge
DISTROS	?= bullseye bookworm trixie forky
check-distros: packages-queue+programs+demo+check+check-full
	+tools/machines/distro $(DISTROS); status=$$?; \
		tools/machines/distro --table; exit $$status

# what was downloaded stays
DOWNLOADED := apt chroot distros emulator emulator.lock guest guest.lock kernels linux-source tdc
clean:
	$(Q)[ ! -d $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 \
		$(DOWNLOADED:%=! -name %) ! -name demo ! -name arm64 -exec rm -rf {} +
	$(Q)[ ! -d $(BUILD)/arm64 ] || find $(BUILD)/arm64 -mindepth 1 -maxdepth 1 \
		! -name root -exec rm -rf {} +
	$(Q)[ ! -d $(BUILD)/demo ] || find $(BUILD)/demo -mindepth 1 -maxdepth 1 \
		! -name '*.avi' -exec rm -rf {} +

distclean:
	rm -rf $(BUILD)

.PHONY: help build all programs tests bpf module demo demo-build program-names check test test-list check-distros \
	check-full lib-tests clean distclean
