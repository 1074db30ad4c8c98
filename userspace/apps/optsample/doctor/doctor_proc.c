// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running processes, from /proc.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample/doctor/doctor.h"

void procs_read(struct doctor *d)
{
	char **names, comm[32];
	int n = doctor_list(d, "/proc", &names);

	d->procs = calloc(n + 1, sizeof(*d->procs));
	if (!d->procs)
		abort();
	for (int i = 0; i < n && d->nprocs < DOCTOR_PROCS; i++) {
		struct doctor_proc *p = &d->procs[d->nprocs];

		if (!isdigit((unsigned char)*names[i]) ||
		    doctor_read(d, comm, sizeof(comm), "/proc/%s/comm",
				names[i]) <= 0)
			continue;
		comm[strcspn(comm, "\n")] = '\0';
		snprintf(p->comm, sizeof(p->comm), "%.15s", comm);
		p->pid = atoi(names[i]);
		d->nprocs++;
	}
	doctor_list_free(names, n);
}

bool procs_visible(const struct doctor *d)
{
	for (size_t i = 0; i < d->nprocs; i++)
		if (d->procs[i].pid == 1)
			return true;
	return false;
}

static bool is_called(const struct doctor_proc *p, const char *comm)
{
	return !strncmp(p->comm, comm, sizeof(p->comm) - 1);
}

int proc_find(const struct doctor *d, const char *comm)
{
	for (size_t i = 0; i < d->nprocs; i++)
		if (is_called(&d->procs[i], comm))
			return d->procs[i].pid;
	return 0;
}

bool proc_args(const struct doctor *d, int pid, char *buf, size_t size)
{
	ssize_t n = doctor_read(d, buf, size, "/proc/%d/cmdline", pid);

	for (ssize_t i = 0; i + 1 < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	return n > 0;
}

char *proc_env(const struct doctor *d, int pid, const char *name)
{
	static char text[128 << 10];
	ssize_t n = doctor_read(d, text, sizeof(text), "/proc/%d/environ",
				pid);
	size_t len = strlen(name);

	for (const char *s = text; n > 0 && s < text + n; s += strlen(s) + 1)
		if (!strncmp(s, name, len) && s[len] == '=')
			return strdup(s + len + 1);
	return NULL;
}

char *proc_file(const struct doctor *d, int pid, const char *path)
{
	char *text = NULL;

	if (!*d->root)
		text = doctor_load(d, "/proc/%d/root%s", pid, path);
	return text ?: doctor_load(d, "%s", path);
}

static bool doctor_proc_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = text; (s = strstr(s, word)); s++)
		if ((s == text || strchr(" =", s[-1])) &&
		    (!s[len] || strchr(" \n", s[len])))
			return true;
	return false;
}

bool proc_has_word(const struct doctor *d, const char *comm,
		   const char *word)
{
	char args[4096];

	for (size_t i = 0; i < d->nprocs; i++)
		if (is_called(&d->procs[i], comm) &&
		    proc_args(d, d->procs[i].pid, args, sizeof(args)) &&
		    doctor_proc_has_word(args, word))
			return true;
	return false;
}
