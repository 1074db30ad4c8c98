# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/scan formats
PROGRAMS := optsample-lab
