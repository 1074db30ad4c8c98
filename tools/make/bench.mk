# SPDX-License-Identifier: GPL-2.0-only
#
# bench.mk - benchmarks: what they need is built for them only

# what tools/bench/bench and tools/bench/figures run
bench-build: build packages-demo+check+check-full
	$(Q)$(MAKE) --no-print-directory $(addprefix $(BIN)/,$(EXTRA.tools/bench))

bench: bench-build
	tools/bench/bench
	tools/bench/figures

# means over these images, and each by name
IMAGES	?= $(wildcard ../shared/data/images/*.png)
bench-quality: packages-queue+programs+options+build
	$(Q)$(MAKE) --no-print-directory $(BIN)/quality
	$(BIN)/quality $(IMAGES)

.PHONY: bench bench-build bench-quality
