# SPDX-License-Identifier: GPL-2.0-only
PLUGIN	:= engine/engine-mpi.so
PKGS	:= ompi-c
