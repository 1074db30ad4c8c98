/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions with external linkage: the verifier checks them once, for any
 * arguments. To know what a struct __sk_buff is it needs the kernel's own BTF
 * (CONFIG_DEBUG_INFO_BTF), which vendors of boards leave out. For their kernels
 * there is another object, ros_tag_nobtf.bpf.o: its functions are static, and it
 * takes fewer steps, as each costs the verifier.
 */
#ifndef OPTSAMPLE_GLOBAL_H
#define OPTSAMPLE_GLOBAL_H

#ifdef ROS_TAG_NO_BTF
#define GLOBAL	static __noinline
#else
#define GLOBAL	__noinline
#endif

#endif
