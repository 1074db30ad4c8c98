# SPDX-License-Identifier: GPL-2.0-only
USES	:= slam/output
PROGRAMS := slam-eval
