// SPDX-License-Identifier: GPL-2.0-only
/*
 * turns - a fair lock for threads that change a store
 */
#include <assert.h>
#include "map/store/turns.h"

void turns_init(struct turns *t)
{
	*t = (struct turns){ 0 };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
}

void turns_destroy(struct turns *t)
{
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
}

void turns_take(struct turns *t)
{
	uint64_t mine;

	pthread_mutex_lock(&t->lock);
	if (!t->depth || !pthread_equal(t->owner, pthread_self())) {
		mine = t->next++;
		while (mine != t->serving)
			pthread_cond_wait(&t->changed, &t->lock);
		assert(!t->depth && mine == t->serving);
		t->owner = pthread_self();
	}
	t->depth++;
	pthread_mutex_unlock(&t->lock);
}

void turns_end(struct turns *t)
{
	pthread_mutex_lock(&t->lock);
	assert(t->depth && pthread_equal(t->owner, pthread_self()));
	if (!--t->depth) {
		t->serving++;
		pthread_cond_broadcast(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
}
