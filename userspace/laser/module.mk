# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/bag base
LIBS	:= -lz
TESTS	:= readings rawlog collator tf
FUZZ	:= readings_carmen readings_csv readings_dat rawlog collator first_slamd
