/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the program keep and by user space */
#ifndef OPTSAMPLE_BPF_KEEP_H
#define OPTSAMPLE_BPF_KEEP_H

#include <linux/types.h>

#define KEEP_MAC	3	/* 16 bit words of a link address */

/**
 * struct keep_link - the only value of the map `keep_link`
 * @ifindex:	output interface; 0: drop all packets
 * @address:	its link address
 * @own:	link address of the device that the program is on
 */
struct keep_link {
	__u32	ifindex;
	__u16	address[KEEP_MAC];
	__u16	own[KEEP_MAC];
};

#endif
