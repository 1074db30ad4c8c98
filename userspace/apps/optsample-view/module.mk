# SPDX-License-Identifier: GPL-2.0-only
USES	:= view transport
PROGRAMS := optsample-view
