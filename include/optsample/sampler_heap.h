/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampler_heap.h - the sampler's node of a queued message, and a pairing heap
 * of nodes by key (Fredman, Sedgewick, Sleator and Tarjan, 1986).
 *
 * The `gap` policy looks for the smallest key. Insertion is O(1), removal is
 * O(log n) amortised; of equal keys the older message comes first. No
 * allocation, no recursion.
 */
#ifndef OPTSAMPLE_SAMPLER_HEAP_H
#define OPTSAMPLE_SAMPLER_HEAP_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef OPTSAMPLE_HAVE_KERNEL_TYPES
#define OPTSAMPLE_HAVE_KERNEL_TYPES
typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
#endif
#endif

/**
 * struct optsample_node - a queued message; embedded in the caller's struct
 * @pos: position of the message
 * @seq: order of arrival within this sampler
 * @prev: neighbour towards the head
 * @next: neighbour towards the tail; also chains evicted messages
 * @key: gap: hole that giving up this message would leave
 * @child: gap: first child in the pairing heap
 * @sibling: gap: next child of the same parent
 * @back: gap: previous child of the same parent, or the parent
 */
struct optsample_node {
	u64 pos;
	u64 seq;
	struct optsample_node *prev;
	struct optsample_node *next;
	u64 key;
	struct optsample_node *child;
	struct optsample_node *sibling;
	struct optsample_node *back;
}; /* one cache line on 64 bit: keep it that size */

static inline bool __optsample_less(const struct optsample_node *a,
				    const struct optsample_node *b)
{
	return a->key < b->key || (a->key == b->key && a->seq < b->seq);
}

static inline struct optsample_node *
__optsample_meld(struct optsample_node *a, struct optsample_node *b)
{
	struct optsample_node *t;

	if (!a)
		return b;
	if (!b)
		return a;
	if (__optsample_less(b, a)) {
		t = a;
		a = b;
		b = t;
	}
	b->back = a;
	b->sibling = a->child;
	if (a->child)
		a->child->back = b;
	a->child = b;
	return a;
}

/* Two passes: pairs from the left, then all of them from the right. */
static inline struct optsample_node *
__optsample_meld_children(struct optsample_node *n)
{
	struct optsample_node *stack = NULL, *root = NULL, *a, *b;

	while (n) {
		a = n;
		b = a->sibling;
		n = b ? b->sibling : NULL;
		a->sibling = NULL;
		if (b)
			b->sibling = NULL;
		a = __optsample_meld(a, b);
		a->sibling = stack;
		stack = a;
	}
	while (stack) {
		a = stack;
		stack = a->sibling;
		a->sibling = NULL;
		root = __optsample_meld(root, a);
	}
	if (root)
		root->back = NULL;
	return root;
}

/**
 * optsample_heap_add - put @n, with its key, into the heap
 * @root: of the heap, NULL in an empty one
 * @n: in no heap
 */
static inline void optsample_heap_add(struct optsample_node **root,
				      struct optsample_node *n)
{
	n->child = NULL;
	n->sibling = NULL;
	n->back = NULL;
	*root = __optsample_meld(*root, n);
}

/**
 * optsample_heap_del - take @n out of the heap it is in
 * @root: of the heap
 * @n: may be the root
 */
static inline void optsample_heap_del(struct optsample_node **root,
				      struct optsample_node *n)
{
	struct optsample_node *sub = __optsample_meld_children(n->child);

	if (*root == n) {
		*root = sub;
		return;
	}
	if (n->back->child == n)
		n->back->child = n->sibling;
	else
		n->back->sibling = n->sibling;
	if (n->sibling)
		n->sibling->back = n->back;
	*root = __optsample_meld(*root, sub);
}

#endif
