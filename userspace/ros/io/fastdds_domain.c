// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastdds_domain - fastdds.so, and the domains that it is in
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/installed.h"
#include "ros/io/fastdds_domain.h"

#define PLUGIN	"fastdds.so"

struct fastdds_domain {
	struct fastdds_domain	*next;
	unsigned int		users;
	uint32_t		id;
	void			*participant;
	const struct fastdds_ops *ops;
};

static struct fastdds_domain *joined;

static void *fastdds_domain_open_plugin(struct error *error)
{
	char path[PATH_MAX];
	void *p;

	if (installed_find("OPTSAMPLE_FASTDDS", "fastdds", PLUGIN, path)) {
		error_set(error, -EOPNOTSUPP, "no " PLUGIN);
		return NULL;
	}
	p = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!p)
		error_set(error, -EOPNOTSUPP, "%s", dlerror());
	return p;
}

/* It is never unloaded: its threads may be running */
static const struct fastdds_ops *fastdds_domain_load(struct error *error)
{
	static const struct fastdds_ops *ops;
	void *p;

	if (ops)
		return ops;
	p = fastdds_domain_open_plugin(error);
	if (!p)
		return NULL;
	ops = dlsym(p, "fastdds_ops");
	if (!ops || ops->abi != FASTDDS_ABI) {
		error_set(error, -EOPNOTSUPP,
			  PLUGIN " has another version");
		ops = NULL;
	}
	return ops;
}

int fastdds_join(struct fastdds_domain **result, uint32_t id,
		 const char *node, struct error *error)
{
	struct fastdds_domain *d = joined;
	int err;

	while (d && d->id != id)
		d = d->next;
	if (!d) {
		const struct fastdds_ops *ops = fastdds_domain_load(error);

		if (!ops)
			return -EOPNOTSUPP;
		d = calloc(1, sizeof(*d));
		if (!d)
			return error_set(error, -ENOMEM, "no memory");
		d->id = id;
		d->ops = ops;
		err = ops->enter(&d->participant, id, node);
		if (err) {
			free(d);
			return error_set(error, err, "Fast DDS cannot enter "
					 "domain %u", id);
		}
		d->next = joined;
		joined = d;
	}
	d->users++;
	*result = d;
	return 0;
}

void fastdds_leave(struct fastdds_domain *d)
{
	struct fastdds_domain **at = &joined;

	if (!d || --d->users)
		return;
	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	d->ops->leave(d->participant);
	free(d);
}

const struct fastdds_ops *fastdds_ops_of(const struct fastdds_domain *d)
{
	return d->ops;
}

void *fastdds_participant(const struct fastdds_domain *d)
{
	return d->participant;
}
