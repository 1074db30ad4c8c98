# SPDX-License-Identifier: GPL-2.0-only
USES	:= transport
PROGRAMS := optsample-recv
