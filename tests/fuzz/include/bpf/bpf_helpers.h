/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for libbpf's header of that name: the BPF program as a part of a
 * user space program. What the kernel does is in ../../kernel.c.
 */
#ifndef OPTSAMPLE_FUZZ_BPF_HELPERS_H
#define OPTSAMPLE_FUZZ_BPF_HELPERS_H

#include <linux/types.h>

#define SEC(name)
#define __uint(name, value)	int (*name)[value]
#define __type(name, value)	typeof(value) *name
#define __noinline		__attribute__((noinline))
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#define barrier_var(v)		asm volatile("" : "+r"(v))

enum { LIBBPF_PIN_BY_NAME = 1 };

/* libbpf has functions of the same names, for user space. */
#define bpf_map_lookup_elem	helper_map_lookup_elem
#define bpf_map_update_elem	helper_map_update_elem
#define bpf_map_delete_elem	helper_map_delete_elem
#define bpf_skb_load_bytes	helper_skb_load_bytes

void *bpf_map_lookup_elem(void *map, const void *key);
long bpf_map_update_elem(void *map, const void *key, const void *value,
			 __u64 flags);
long bpf_map_delete_elem(void *map, const void *key);
long bpf_skb_load_bytes(const void *skb, __u32 offset, void *to, __u32 len);

/* One thread runs the program, and never takes two locks. */
#define bpf_spin_lock(lock)	({ if ((lock)->val++) __builtin_trap(); })
#define bpf_spin_unlock(lock)	({ (lock)->val--; })

#endif
