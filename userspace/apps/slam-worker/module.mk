# SPDX-License-Identifier: GPL-2.0-only
USES	:= slam/workers
PROGRAMS := slam-worker
