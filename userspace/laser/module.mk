# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/bag base
TESTS	:= readings collator tf
FUZZ	:= readings_carmen readings_csv readings_dat collator first_slamd
