# SPDX-License-Identifier: GPL-2.0-only
PLUGIN	:= $(call if_with,MPI,engine/engine-mpi.so)
LIBS	:= -Wl,-z,defs
PKGS	:= ompi-c

# programs that load it do not export error_set()
$(BUILD)/engine/engine-mpi.so: $(PIC)/userspace/base/error.o
