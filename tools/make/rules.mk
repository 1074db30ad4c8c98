# SPDX-License-Identifier: GPL-2.0-only
#
# rules.mk - one rule each for objects, archives, programs, plugins, tests and
# fuzzers
#
# A folder with sources has a module.mk that sets, as far as it needs them:
#
#	USES	folders of userspace/ whose code it calls, or tools/FOLDER
#	LIBS	linker flags; PKGS: packages of pkg-config
#	FLAGS	compiler flags; IDL: "yes" if it includes types of idl/
#	SRCS	its sources; if not set, all of the folder
#	PROGRAMS programs that are installed; HELPERS: those that only other
#		programs run; TOOLS: other programs of `make build`, for tests
#		and demos; EXTRA: programs that it does not build
#	PLUGIN	a shared object of all its sources, as a path in build/;
#		installed, too
#	TESTS	NAME for each tests/unit/FOLDER/test_NAME.c; built with
#		AddressSanitizer and UBSan, and plain if it is asked for
#	THREADED those of them that are built with ThreadSanitizer, too
#	FUZZ	NAME for each tests/fuzz/fuzz_NAME.c
#
# A program NAME has its main() in NAME.c or NAME.cpp. The folder's other
# sources become one archive. NAME.SRCS, NAME.USES, NAME.LIBS and NAME.PKGS add
# to what a program, test or fuzzer is linked with; paths in NAME.SRCS start at
# the top. FILE.FLAGS are compiler flags of FILE.c.

# An assert() costs nothing in what is installed; sanitized objects, those of
# fuzzers and those of `make coverage` keep it
NO_ASSERTS ?= -DNDEBUG

OBJ	:= $(BUILD)/obj
PIC	:= $(BUILD)/pic
CHECKED	:= $(BUILD)/sanitized
THREADS	:= $(BUILD)/tsan
OBJECTS	:= $(OBJ) $(CHECKED) $(THREADS)

MODULES	:= $(patsubst %/module.mk,%,$(shell find userspace tools tests -name module.mk))
SETTINGS := USES LIBS PKGS FLAGS IDL SRCS PROGRAMS HELPERS TOOLS EXTRA PLUGIN TESTS THREADED FUZZ

# folder USES
folder = $(foreach u,$(1),$(if $(filter tools/% tests/%,$(u)),$(u),userspace/$(u)))

define read_module
$(foreach s,$(SETTINGS),$(eval $(s) :=))
$(eval SRCS := $(filter-out %.bpf.c,$(wildcard $(1)/*.c $(1)/*.cpp)))
$(eval include $(1)/module.mk)
$(foreach s,$(SETTINGS),$(eval $(s).$(1) := $$($(s))))
$(eval USES.$(1) := $(call folder,$(USES)))
endef
$(foreach m,$(MODULES),$(call read_module,$(m)))

# object WHERE SOURCES
object = $(patsubst %,$(1)/%.o,$(basename $(2)))
# main NAME FOLDER: the source with its main()
main = $(wildcard $(2)/$(1).c $(2)/$(1).cpp)
# library FOLDER: the sources of its archive
library = $(if $(PLUGIN.$(1)),,$(filter-out $(foreach p,$(PROGRAMS.$(1)) \
	$(HELPERS.$(1)) $(TOOLS.$(1)) $(EXTRA.$(1)),$(call main,$(p),$(1))),$(SRCS.$(1))))
$(foreach m,$(MODULES),$(eval LIBRARY.$(m) := $(call library,$(m))))

# closure FOLDERS: they and all that they use
close = $(if $(CLOSURE.$(1)),,$(eval CLOSURE.$(1) := $(sort $(1) \
	$(call closure,$(USES.$(1))))))$(CLOSURE.$(1))
closure = $(sort $(foreach m,$(1),$(call close,$(m))))

# archives WHERE FOLDERS
archive = $(1)/$(subst /,-,$(2:userspace/%=%)).a
archives = $(foreach m,$(2),$(if $(LIBRARY.$(m)),$(call archive,$(1),$(m)))) \
	$(if $(filter yes,$(foreach m,$(2),$(IDL.$(m)))),$(BUILD)/idl/idl.a)
# libraries NAME FOLDERS: linker flags
libraries = $(sort $($(1).LIBS) $(foreach m,$(2),$(LIBS.$(m)))) \
	$(addprefix PKG:,$(sort $($(1).PKGS) $(foreach m,$(2),$(PKGS.$(m)))))
pkgs = $(patsubst PKG:%,%,$(filter PKG:%,$(1)))
pkg_config = $(if $(2),$$($(PKG_CONFIG) $(1) $(2)))

# flags SOURCE: what its folder adds to the compiler's
flags = $(call pkg_config,--cflags,$(PKGS.$(1:%/=%))) $(FLAGS.$(1:%/=%)) \
	$(if $(IDL.$(1:%/=%)),-I$(BUILD)/idl)
source_flags = $(if $(filter tests/unit/%,$(1)),-Itests/unit) \
	$(call flags,$(dir $(1))) $($(basename $(notdir $(1))).FLAGS)

# A source is compiled again if what it includes, its module.mk, the compiler
# or the common flags have changed.
COMMANDS := $(BUILD)/.commands
# $(call kept,FILE,TEXT): FILE has TEXT, and is new if it had another one. Without
# strip, make 4.3 at times leaves the newline at the end of what it reads
kept = $(if $(findstring <$(strip $(file <$(1)))>,<$(strip $(2))>),,$(shell mkdir -p $(dir $(1)))$(file >$(1),$(2)))
$(call kept,$(COMMANDS),$(CC) $(CXX) $(CLANG) $(ALL_CFLAGS) $(ALL_CXXFLAGS) $(LDFLAGS) \
	$(NO_ASSERTS) $(SANITIZE) $(COVERAGE) $(SANITIZE_THREADS) \
	$(foreach o,$(OPTIONS),$(o)=$($(o))))
.SECONDEXPANSION:
FOUND	:= $(BUILD)/.found$(QUEUE_ONLY:yes=.queue)
# one line that names packages, instead of an error for each header
$(FOUND): tools/packages.txt
	$(Q)mkdir -p $(BUILD)
	$(Q)CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
		tools/packages --find queue $(if $(QUEUE_ONLY),,programs) && touch $@
needs = $(COMMANDS) $(filter $(1)/module.mk,$(MODULES:%=%/module.mk))
idl_headers = $(if $(IDL.$(1)),$(IDL_HEADERS))

define compile
$(call msg,$(1),$@)
@mkdir -p $(@D)
$(Q)$(2) $(call source_flags,$<) -MMD -MP $(3) -c -o $@ $<
endef
$(OBJ)/%.o: %.c $$(call needs,$$(*D)) | $(FOUND) $$(call idl_headers,$$(*D))
	$(call compile,CC,$(CC) $(ALL_CFLAGS) $(NO_ASSERTS))
$(OBJ)/%.o: %.cpp $$(call needs,$$(*D)) | $(FOUND) $$(call idl_headers,$$(*D))
	$(call compile,CXX,$(CXX) $(ALL_CXXFLAGS) $(NO_ASSERTS))
$(PIC)/%.o: %.c $$(call needs,$$(*D)) | $(FOUND)
	$(call compile,CC,$(CC) $(ALL_CFLAGS) $(NO_ASSERTS),-fPIC)
$(PIC)/%.o: %.cpp $$(call needs,$$(*D)) | $(FOUND)
	$(call compile,CXX,$(CXX) $(ALL_CXXFLAGS) $(NO_ASSERTS),-fPIC)
$(CHECKED)/%.o: %.c $$(call needs,$$(*D)) | $(FOUND) $$(call idl_headers,$$(*D))
	$(call compile,CLANG,$(CLANG) $(ALL_CFLAGS),$(SANITIZE) $(COVERAGE))
$(CHECKED)/%.o: %.cpp $$(call needs,$$(*D)) | $(FOUND) $$(call idl_headers,$$(*D))
	$(call compile,CLANG,$(CLANG)++ $(ALL_CXXFLAGS),$(SANITIZE) $(COVERAGE))
$(THREADS)/%.o: %.c $$(call needs,$$(*D)) | $(FOUND) $$(call idl_headers,$$(*D))
	$(call compile,CLANG,$(CLANG) $(ALL_CFLAGS),$(SANITIZE_THREADS))
$(THREADS)/%.o: %.cpp $$(call needs,$$(*D)) | $(FOUND) $$(call idl_headers,$$(*D))
	$(call compile,CLANG,$(CLANG)++ $(ALL_CXXFLAGS),$(SANITIZE_THREADS))

%.a:
	$(call msg,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@; $(AR) rcs $@ $(filter %.o,$^)
# again, too, without a source that has moved to another folder
$(foreach m,$(MODULES),$(foreach o,$(OBJECTS),$(if $(LIBRARY.$(m)),$(call \
	kept,$(call archive,$(o),$(m)).list,$(LIBRARY.$(m)))$(eval \
	$(call archive,$(o),$(m)): $(call object,$(o),$(LIBRARY.$(m))) $(call archive,$(o),$(m)).list))))

# $(call linked,WHERE,NAME,FOLDER,SOURCES,INTO): what INTO/NAME is made of
define linked
$(5)/$(2): $(call object,$(1),$(4) $($(2).SRCS)) $(call archives,$(1),$(call \
	closure,$(3) $(call folder,$($(2).USES))))
LINK.$(2) := $(call libraries,$(2),$(call closure,$(3) $(call folder,$($(2).USES))))
CXX.$(2) := $(filter %.cpp,$(4) $($(2).SRCS))
endef
link = $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
	-Wl,--as-needed $(filter-out PKG:%,$(LINK.$*)) \
	$(call pkg_config,--libs,$(call pkgs,$(LINK.$*)))

# unit NAME FOLDER: the source of a unit test
unit = $(if $(filter tests/%,$(2)),$(2),tests/unit/$(2:userspace/%=%))/test_$(1).c

each = $(foreach m,$(MODULES),$(foreach n,$($(1).$(m)),$(call $(2),$(n),$(m))))
program = $(foreach o,$(OBJ) $(CHECKED),$(eval $(call linked,$(o),$(1),$(2),$(call \
	main,$(1),$(2)),$(if $(filter $(OBJ),$(o)),$(BIN),$(o)/bin))))
tests_of = $(foreach o,$(OBJECTS),$(eval $(call linked,$(o),test_$(1),$(2),$(call \
	unit,$(1),$(2)),$(if $(filter $(OBJ),$(o)),$(BIN),$(o)/bin))))
fuzzer = $(eval $(call linked,$(CHECKED),fuzz_$(1),$(2),tests/fuzz/fuzz_$(1).c,$(BIN)))
$(foreach s,PROGRAMS HELPERS TOOLS EXTRA,$(call each,$(s),program))
$(call each,TESTS,tests_of)$(call each,FUZZ,fuzzer)

names = $(foreach m,$(MODULES),$($(1).$(m)))
UNIT_TESTS := $(call names,TESTS)
TESTS_BUILT := $(UNIT_TESTS:%=$(CHECKED)/bin/test_%)
TESTS_PLAIN := $(UNIT_TESTS:%=$(BIN)/test_%)
TESTS_THREADED := $(addprefix $(THREADS)/bin/test_,$(call names,THREADED))
FUZZERS	:= $(addprefix $(BIN)/fuzz_,$(call names,FUZZ))
PROGRAMS_BUILT := $(addprefix $(BIN)/,$(call wanted,optsample,$(call names,PROGRAMS)))
HELPERS_BUILT := $(addprefix $(BIN)/,$(call wanted,optsample-discover,$(call names,HELPERS)))
TOOLS_BUILT := $(addprefix $(BIN)/,$(call names,TOOLS))
PROGRAMS_CHECKED := $(patsubst $(BIN)/%,$(CHECKED)/bin/%,$(PROGRAMS_BUILT) $(HELPERS_BUILT) $(TOOLS_BUILT))

$(PROGRAMS_BUILT) $(HELPERS_BUILT) $(TOOLS_BUILT) $(TESTS_PLAIN) $(addprefix $(BIN)/,$(call names,EXTRA)): $(BIN)/%:
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(if $(CXX.$*),$(CXX) $(CXXFLAGS),$(CC) $(CFLAGS)) $(LDFLAGS) -o $@ $(link)
$(FUZZERS): $(BIN)/%:
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(SANITIZE) -fsanitize=fuzzer -o $@ $(link)
$(TESTS_BUILT) $(PROGRAMS_CHECKED): $(CHECKED)/bin/%:
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	@# where a program looks for the classifier: beside its folder
	@ln -sfn ../bpf $(CHECKED)/bpf
	$(Q)$(CLANG)$(if $(CXX.$*),++) $(SANITIZE) -o $@ $(link)
$(TESTS_THREADED): $(THREADS)/bin/%:
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG)$(if $(CXX.$*),++) $(SANITIZE_THREADS) -o $@ $(link)

# plugin FOLDER
define plugin
$(BUILD)/$(PLUGIN.$(1)): $(call object,$(PIC),$(SRCS.$(1)))
LINK.$(PLUGIN.$(1)) := $(call libraries,,$(1))
CXX.$(PLUGIN.$(1)) := $(filter %.cpp,$(SRCS.$(1)))
endef
PLUGINS	:= $(addprefix $(BUILD)/,$(call wanted,tc/%,$(call names,PLUGIN)))
$(foreach m,$(MODULES),$(if $(PLUGIN.$(m)),$(eval $(call plugin,$(m)))))
$(PLUGINS): $(BUILD)/%:
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(if $(CXX.$*),$(CXX) $(CXXFLAGS),$(CC) $(CFLAGS)) $(LDFLAGS) -shared -o $@ $(link)

# for tests/affected: NAME, or unit:NAME, and the folders and files that it has
links:
	$(foreach m,$(MODULES),$(foreach s,PROGRAMS HELPERS TOOLS EXTRA,$(foreach n,$($(s).$(m)),$(info $(n) \
	$(call linked_with,$(n),$(m)) $(m))))$(foreach n,$(TESTS.$(m)),$(info \
	unit:$(n) $(call linked_with,test_$(n),$(m)) $(call unit,$(n),$(m)))))@:
linked_with = $(foreach f,$(call closure,$(2) $(call folder,$($(1).USES))),$(f) $(if $(IDL.$(f)),idl)) \
	$($(1).SRCS)

# types of idl/, by Cyclone DDS
IDL_C	:= $(patsubst idl/%.idl,$(BUILD)/idl/%.c,$(wildcard idl/*.idl))
IDL_HEADERS := $(IDL_C:.c=.h)
$(BUILD)/idl/%.c $(BUILD)/idl/%.h: idl/%.idl $(wildcard idl/*.idl) | $(FOUND)
	$(call msg,IDLC,$(BUILD)/idl/$*)
	@mkdir -p $(@D)
	$(Q)idlc -t -o $(@D) $<
$(BUILD)/idl/idl.a: $(call object,$(OBJ),$(IDL_C))
$(call object,$(OBJ),$(IDL_C)): FLAGS.$(BUILD)/idl := -I$(BUILD)/idl

.SECONDARY:
-include $(shell find $(OBJ) $(PIC) $(CHECKED) $(THREADS) -type f -name '*.d' 2>/dev/null)
