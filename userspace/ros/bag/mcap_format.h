/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mcap_format.h - MCAP, version 0 (mcap.dev/spec)
 *
 * A record: its kind, u8; its length, u64; its data. All little endian; a text
 * is its length, u32, and its bytes; a map or array is its size in bytes, u32.
 */
#ifndef ROS_BAG_MCAP_FORMAT_H
#define ROS_BAG_MCAP_FORMAT_H

#define MCAP_MAGIC	"\x89MCAP0\r\n"

enum {
	MCAP_MAGIC_LEN		= 8,
	MCAP_RECORD		= 9,	/* bytes before what is in a record */
	MCAP_FOOTER_LEN		= 20,	/* in the record */
	MCAP_MESSAGE_LEN	= 22,	/* before the data, likewise */
	MCAP_CHUNK_LEN		= 40,	/* in a chunk, but compression's name */
};

enum mcap_op {
	MCAP_HEADER		= 1,
	MCAP_FOOTER		= 2,
	MCAP_SCHEMA		= 3,
	MCAP_CHANNEL		= 4,
	MCAP_MESSAGE		= 5,
	MCAP_CHUNK		= 6,
	MCAP_MESSAGE_INDEX	= 7,
	MCAP_CHUNK_INDEX	= 8,
	MCAP_STATISTICS		= 0x0b,
	MCAP_SUMMARY_OFFSET	= 0x0e,
	MCAP_DATA_END		= 0x0f,
};

#endif
