# SPDX-License-Identifier: GPL-2.0-only
#
# options.mk - parts that are left out where their library is missing
#
# Each WITH_NAME is auto, yes or no. The first word of OPTION.NAME is the Debian
# package that it needs; the others say what is left out.

OPTIONS	:= ROS1 FASTDDS MPI RABBITMQ CYCLONE
OPTION.ROS1 := libroscpp-dev library for roscpp, optsample-ros1(7)
OPTION.FASTDDS := libfastrtps-dev services of gdimd for clients of rmw_fastrtps
OPTION.MPI := libopenmpi-dev workers of slamd by MPI
OPTION.RABBITMQ := librabbitmq-dev workers of slamd on other machines
# all but optsample(8) needs it anyway
OPTION.CYCLONE := cyclonedds-dev topics of ROS 2 in optsample

# 3.0 has another name
HAVE_FASTDDS := $(firstword $(foreach l,fastdds fastrtps,$(if $(findstring /,$(shell \
	$(CXX) -print-file-name=lib$(l).so 2>/dev/null)),$(l))))
FASTDDS_LIBS := $(HAVE_FASTDDS:%=-l%) -lfastcdr
have_pkg = $(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo yes)
# not one whose calls cannot be replaced, as Ubuntu links it
HAVE_ROS1 := $(if $(call have_pkg,roscpp),$(shell userspace/plugin/roscpp/build_id.sh \
	"$$($(CC) -print-file-name=libroscpp.so)" >/dev/null 2>&1 && echo yes))
HAVE_MPI := $(call have_pkg,ompi-c)
HAVE_RABBITMQ := $(call have_pkg,librabbitmq)
HAVE_CYCLONE := $(shell echo '\#include <dds/dds.h>' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && \
	command -v idlc >/dev/null && echo yes)

define option
WITH_$(1) ?= auto
ifeq ($$(WITH_$(1)),auto)
$(1)	:= $$(if $$(HAVE_$(1)),yes)
else
$(1)	:= $$(filter yes,$$(WITH_$(1)))
endif
ifeq ($$(filter yes,$$(WITH_$(1)))$$(if $$(HAVE_$(1)),,no),yesno)
$$(error WITH_$(1)=yes needs the package $(firstword $(OPTION.$(1))))
endif
endef
$(foreach o,$(OPTIONS),$(eval $(call option,$(o))))

# QUEUE_ONLY=yes: nothing but the queue: the module, its classifier, the plugin
# of tc and optsample(8)
QUEUE_ONLY := $(filter yes,$(QUEUE_ONLY))
# $(call wanted,PATTERNS,FILES)
wanted = $(if $(QUEUE_ONLY),$(filter $(1),$(2)),$(2))

# with $(call if_with,NAME,WORDS)
if_with = $(if $($(1)),$(2))

left_out:
	@$(foreach o,$(if $(QUEUE_ONLY),CYCLONE,$(OPTIONS)),$(if $($(o)),,printf '  %-7s %s\n' WITHOUT \
		'$(wordlist 2,99,$(OPTION.$(o))): needs $(firstword $(OPTION.$(o)))';)):

.PHONY: left_out
