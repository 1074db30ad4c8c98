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
# fuzzers, unit tests and what they are linked with; AddressSanitizer finds what
# null and object-size do, and they make compiling a third dearer
SANITIZE := -O1 -g1 -fsanitize=address,undefined -fno-sanitize=alignment,null,object-size \
	   -fno-sanitize-recover=undefined
COVERAGE := -fsanitize-coverage=inline-8bit-counters,pc-table
SANITIZE_THREADS := -O1 -g1 -fsanitize=thread

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
	@echo 'make quick       unit tests, classifier, decoders: a minute; no root, no VM'
	@echo 'make check       every feature once: also daemons, the kernel and Wi-Fi in a VM'
	@echo 'make check SINCE=REV  only what changes since REV can affect, but all of that'
	@echo 'make check-full  all tests; other kernels, some that check themselves, long random runs'
	@echo 'make test T=NAME one of them, or several; make test-list: which'
	@echo 'make mutate FOLDER=userspace/base  do its unit tests notice faults? N=30 SEED=1'
	@echo 'make coverage [FOLDER=...]  lines that unit tests reach, by folder'
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
# tests of programs run two of the unit tests
tests: $(TOOLS_BUILT) $(TESTS_BUILT) $(TESTS_THREADED) $(FUZZERS) $(addprefix $(BIN)/test_,bus io)
tests-plain: $(TESTS_PLAIN)
# for tests/e2e/sanitized.sh
programs-sanitized: $(PROGRAMS_CHECKED)
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

# for tests/unit/all.sh and tests/run
unit-tests:
	@echo $(UNIT_TESTS)
threaded-tests:
	@echo $(call names,THREADED)

# for tests/unit/surface.sh
program-names:
	@printf '%s\n' $(notdir $(PROGRAMS_BUILT))

# for tests/unit/symbols.sh
installed:
	@printf '%s\n' $(PROGRAMS_BUILT) $(HELPERS_BUILT) $(PLUGINS)

# what the demo runs, and nothing else
demo-build: module $(PROGRAM_BPF) $(BUILD)/tc/q_optsample.so $(addprefix $(BIN)/,optsample optsample-discover \
	optsample-sim rtps-gen clear-maps demo-report hwsim-medium image-pub image-sub gdimd gdimctl slamd \
	slam-worker slam-eval slam-world optsample-send optsample-view robot-drive udp-link)

demo: packages-queue+programs+demo
	$(again) demo-build
	tools/demo/wifi
	tools/demo/maps
	tools/demo/slam
	tools/demo/view

# no root, no guest, no network if packages are there
quick: packages-queue+programs+options+quick
	$(again) quick-build
	tests/run quick

quick-build: bpf $(TESTS_BUILT) $(TESTS_THREADED) $(FUZZERS) \
	$(addprefix $(BIN)/,test_ros_tag fuzz_corpus fuzz_replay)

check: build packages-demo+check
	tests/run $(if $(SINCE),since $(SINCE),check)

# what T needs, and nothing else
ifeq ($(T)$(filter test,$(MAKECMDGOALS)),test)
$(error missing T="NAME ...", see make test-list)
endif
test: packages-queue+programs+options+quick
	+$(Q)if units='$(filter $(UNIT_TESTS),$(T))'; [ "$$units" = '$(strip $(T))' ]; then \
		$(MAKE) --no-print-directory -j$(shell nproc) \
			$(patsubst %,$(CHECKED)/bin/test_%,$(filter $(UNIT_TESTS),$(T))); \
	else $(MAKE) --no-print-directory build packages-demo+check; fi
	@tests/run check $(T)

test-list:
	@tests/run list

# unit tests that are linked with FOLDER; of include/, and without it, all
folder_tests = $(strip $(if $(FOLDER),$(foreach m,$(MODULES),$(foreach n,$(TESTS.$(m)),$(if $(filter \
	$(FOLDER:%/=%),$(call linked_with,test_$(n),$(m))),$(n))))))
tests_with = $(or $(folder_tests),$(UNIT_TESTS))

# faults in FOLDER that its unit tests should notice
N	?= 30
SEED	?= 1
FLOOR	?= 75
ifeq ($(FOLDER)$(filter mutate,$(MAKECMDGOALS)),mutate)
$(error missing FOLDER=userspace/... or include/optsample)
endif
mutate: packages-queue+programs+options+quick
	$(again) $(tests_with:%=$(CHECKED)/bin/test_%)
	@tests/mutate.py $(FOLDER) $(N) $(SEED) $(FLOOR)

# lines that unit tests reach; those that are linked with FOLDER, if it is given.
# Without optimization they need a larger stack
coverage: packages-queue+programs+options+quick
	$(again) BUILD=$(BUILD)/coverage CC=gcc CXX=g++ CFLAGS='-O0 -g --coverage' NO_ASSERTS= \
		$(tests_with:%=$(BUILD)/coverage/bin/test_%)
	$(Q)find $(BUILD)/coverage -name '*.gcda' -delete
	$(Q)ulimit -s 65536 2>/dev/null; tests/unit/all.sh --coverage $(tests_with) >$(BUILD)/coverage/tests.log || \
		grep '^not ok' $(BUILD)/coverage/tests.log
	@tests/coverage.py $(BUILD)/coverage $(FOLDER)

check-full: build packages-demo+check+check-full
	$(again) tests-plain
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

.PHONY: help build all programs tests tests-plain programs-sanitized quick quick-build bpf module demo demo-build program-names installed check test test-list mutate coverage check-distros \
	check-full unit-tests threaded-tests links clean distclean
