# SPDX-License-Identifier: GPL-2.0-only
USES	:= codec/scan ros/io link
LIBS	:= -lsodium
TESTS	:= reassembly codecs control stream camera publish announce receiver budget seal \
	   receiver_limits small outage flapping coding command status numbers \
	   arrival diagnose pacer send_topic sender workers codec_limits send_plan \
	   recv_topic uplink topic_log
FUZZ	:= control decode first_transport
# with gates before the codecs
test_coding.LIBS := -Wl,--wrap=encoder_encode,--wrap=decoder_frame
