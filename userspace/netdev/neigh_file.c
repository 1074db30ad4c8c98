// SPDX-License-Identifier: GPL-2.0-only
/*
 * DEV.neigh, see neigh_file.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/ip_addr.h"
#include "netdev/neigh_file.h"
#include "netdev/route.h"
#include "netdev/state.h"

void neigh_file_read(const char *dev, neigh_file_fn fn, void *arg)
{
	char path[STATE_PATH], line[64];
	struct ip_addr a;
	int ifindex = 0;
	FILE *f;

	state_path(dev, "neigh", path);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		bool peer = !strncmp(line, "peer ", 5);

		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "ifindex ", 8))
			ifindex = atoi(line + 8);
		else if (!ip_addr_parse(line + 5 * peer, &a))
			fn(&a, peer, ifindex, arg);
	}
	fclose(f);
}

FILE *neigh_file_begin(const char *dev, int ifindex)
{
	char path[STATE_PATH];
	FILE *f;

	state_path(dev, "neigh.new", path);
	f = fopen(path, "we");
	if (f)
		fprintf(f, "ifindex %d\n", ifindex);
	return f;
}

void neigh_file_put(FILE *f, const struct ip_addr *a, bool peer)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(a->family, a->addr, text, sizeof(text));
	fprintf(f, "%s%s\n", peer ? "peer " : "", text);
}

void neigh_file_end(const char *dev, FILE *f)
{
	char path[STATE_PATH], temp[STATE_PATH];

	state_path(dev, "neigh", path);
	state_path(dev, "neigh.new", temp);
	if (!fclose(f))
		rename(temp, path);
}

int neigh_file_add_peer(const char *dev, const struct ip_addr *a,
			struct error *error)
{
	char path[STATE_PATH];
	FILE *f;

	state_path(dev, "neigh", path);
	f = fopen(path, "ae");
	if (!f)
		return error_set(error, -errno, "cannot write %s: %s", path,
				 strerror(errno));
	neigh_file_put(f, a, true);
	fclose(f);
	return 0;
}
