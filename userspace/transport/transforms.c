// SPDX-License-Identifier: GPL-2.0-only
/*
 * transforms - the newest transform of each child frame
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "transport/transforms.h"

enum {
	SLOTS	= 2 * TRANSFORMS_FRAMES,	/* a power of 2 */
	FIRST	= 16,				/* initial slots */
};

#define SECOND	1000000000ULL
#define FORGET	(TRANSFORMS_FORGET * SECOND)

/**
 * struct frame - the newest transform of a child frame
 * @value:	its strings are in @names, the parent's after the child's
 * @heard:	age of the tree when it was last received
 */
struct frame {
	struct message_transform value;
	char			*names;
	size_t			room;
	uint64_t		heard;
	bool			changed;
};

/* @slot: 0 or the number of a frame from 1; linear probing */
struct transforms {
	uint16_t		slot[SLOTS];
	struct frame		*frame;
	struct message_transform *list;
	unsigned int		count, room, changed;
	bool			forget;
	uint64_t		now, age;	/* ns; @age skips pauses */
	uint64_t		looked, forgotten;
};

_Static_assert(TRANSFORMS_FRAMES * (sizeof(struct frame) + 2 * TRANSFORMS_NAME +
				    sizeof(struct message_transform)) +
	       sizeof(struct transforms) <= TRANSFORMS_MEMORY,
	       "a tree fits TRANSFORMS_MEMORY");

struct transforms *transforms_create(bool forget)
{
	struct transforms *t = calloc(1, sizeof(*t));

	if (t)
		t->forget = forget;
	return t;
}

void transforms_destroy(struct transforms *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; i < t->count; i++)
		free(t->frame[i].names);
	free(t->frame);
	free(t->list);
	free(t);
}

static bool same_text(const struct message_string *a,
		      const struct message_string *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

/* Slot of a child frame, or the free one for it */
static uint16_t *transforms_slot_of(struct transforms *t,
				    const struct message_string *s)
{
	for (uint64_t hash = hash_bytes(s->text, s->len);; hash++) {
		uint16_t *slot = &t->slot[hash % SLOTS];

		if (!*slot ||
		    same_text(&t->frame[*slot - 1].value.child_frame_id, s))
			return slot;
	}
}

static bool transforms_has_room(struct transforms *t)
{
	unsigned int room = t->room ? 2 * t->room : FIRST;
	struct message_transform *list;
	struct frame *frame;

	if (t->count < t->room)
		return true;
	if (t->count == TRANSFORMS_FRAMES)
		return false;
	frame = realloc(t->frame, room * sizeof(*frame));
	if (!frame)
		return false;
	t->frame = frame;
	list = realloc(t->list, room * sizeof(*list));
	if (!list)
		return false;
	t->list = list;
	t->room = room;
	return true;
}

static bool is_sane(const struct message_string *s)
{
	return s->len && s->len <= TRANSFORMS_NAME;
}

static bool transforms_differs(const struct message_transform *a,
			       const struct message_transform *b)
{
	return a->header.stamp != b->header.stamp ||
	       !same_text(&a->header.frame_id, &b->header.frame_id) ||
	       memcmp(a->translation, b->translation,
		      sizeof(a->translation)) ||
	       memcmp(a->rotation, b->rotation, sizeof(a->rotation));
}

/* Return: whether there was memory for its names */
static bool transforms_set_frame(struct frame *f,
				 const struct message_transform *v)
{
	size_t child = v->child_frame_id.len, parent = v->header.frame_id.len;

	if (child + parent > f->room) {
		char *names = realloc(f->names, child + parent);

		if (!names)
			return false;
		f->names = names;
		f->room = child + parent;
	}
	memcpy(f->names, v->child_frame_id.text, child);
	memcpy(f->names + child, v->header.frame_id.text, parent);
	f->value = *v;
	f->value.child_frame_id.text = f->names;
	f->value.header.frame_id.text = f->names + child;
	return true;
}

/* Remove old frames; the others keep their order */
static void transforms_forget(struct transforms *t)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->count; i++) {
		struct frame *f = &t->frame[i];

		if (t->age - f->heard < FORGET) {
			t->frame[n++] = *f;
			continue;
		}
		t->changed -= f->changed;
		free(f->names);
	}
	assert(t->changed <= n);
	if (n == t->count)
		return;
	t->forgotten += t->count - n;
	t->count = n;
	memset(t->slot, 0, sizeof(t->slot));
	for (unsigned int i = 0; i < n; i++)
		*transforms_slot_of(t, &t->frame[i].value.child_frame_id) =
			i + 1;
}

/* Return: whether it was merged */
static bool merge_one(struct transforms *t, const struct message_transform *v)
{
	struct frame *f;
	uint16_t *slot;

	if (!is_sane(&v->child_frame_id) || !is_sane(&v->header.frame_id))
		return false;
	slot = transforms_slot_of(t, &v->child_frame_id);
	if (!*slot && !transforms_has_room(t))
		return false;
	f = &t->frame[*slot ? *slot - 1U : t->count];
	if (!*slot)
		memset(f, 0, sizeof(*f));
	f->heard = t->age;
	if (*slot && !transforms_differs(&f->value, v))
		return true;
	if (!transforms_set_frame(f, v))
		return false;
	if (!*slot)
		*slot = ++t->count;
	t->changed += !f->changed;
	f->changed = true;
	return true;
}

unsigned int transforms_merge(struct transforms *t,
			      const struct message_transforms *m, uint64_t now)
{
	struct message_list rest = m->transforms;
	struct message_transform v;
	unsigned int out = 0;

	/* concurrent callers may be out of order */
	if (t->now && now > t->now)
		t->age += now - t->now < SECOND ? now - t->now : SECOND;
	if (now > t->now)
		t->now = now;
	while (message_next_transform(&rest, &v))
		out += !merge_one(t, &v);
	if (t->forget && t->age - t->looked >= SECOND) {
		transforms_forget(t);
		t->looked = t->age;
	}
	return out;
}

bool transforms_changed(const struct transforms *t)
{
	return t->changed;
}

void transforms_take(struct transforms *t, bool all,
		     struct message_transforms *m)
{
	unsigned int n = 0;

	assert(t->changed <= t->count && t->count <= t->room);
	for (unsigned int i = 0; i < t->count; i++) {
		struct frame *f = &t->frame[i];

		if (all || f->changed)
			t->list[n++] = f->value;
		f->changed = false;
	}
	assert(all || n == t->changed);
	t->changed = 0;
	m->transforms = message_list(t->list, n);
}

unsigned int transforms_count(const struct transforms *t)
{
	return t->count;
}

uint64_t transforms_forgotten(const struct transforms *t)
{
	return t->forgotten;
}
