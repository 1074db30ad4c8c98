// SPDX-License-Identifier: GPL-2.0-only
/*
 * cut-vfs - files of SQLite on a machine whose power is cut
 *
 * Writes go to the real files too, so that SQLite reads what it wrote; the cut
 * writes the files again. What is not synced may be there in any part of 512
 * bytes. Names: a file that was never synced may be missing, and one that was
 * deleted without a sync of its folder may be there again.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cut-vfs.h"
#include "../../unit/tap.h"

enum { SECTOR = 512, FILES = 8, PATH = 512 };

/* A write, or a truncation if @data is NULL */
struct change {
	int64_t		at;
	size_t		len;
	uint8_t		*data;
};

/**
 * struct image - of a file
 * @synced:	what is on disk for sure, @size bytes, if @exists
 * @gone:	deleted, but perhaps not on disk
 * @change:	since then, @changes of them
 */
struct image {
	char		path[PATH];
	bool		exists, gone;
	uint8_t		*synced;
	size_t		size;
	unsigned int	changes;
	struct change	*change;
};

struct cut_file {
	sqlite3_file	base;
	struct image	*image;		/* NULL: not one that lasts */
	bool		is_log;		/* or journal */
	sqlite3_file	*real;
};

static sqlite3_vfs *under, shim;
static struct image images[FILES];
static bool armed, off;
static unsigned int left;

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Return: whether the power is off, from this event on or since before */
static bool event(void)
{
	if (armed && !off && !--left)
		off = true;
	return off;
}

static void resize(struct image *m, size_t size)
{
	m->synced = must(realloc(m->synced, size + 1));
	if (size > m->size)
		memset(m->synced + m->size, 0, size - m->size);
	m->size = size;
}

static void write_part(struct image *m, size_t at, const uint8_t *data,
		       size_t len)
{
	if (at + len > m->size)
		resize(m, at + len);
	memcpy(m->synced + at, data, len);
}

static void forget_changes(struct image *m)
{
	for (unsigned int i = 0; i < m->changes; i++)
		free(m->change[i].data);
	m->changes = 0;
}

static void add_change(struct image *m, int64_t at, const void *data,
		       size_t len)
{
	struct change *c;

	if (!armed)
		return;
	/* another file of that name: from here on the old one is no more */
	if (m->gone) {
		m->exists = m->gone = false;
		m->size = 0;
	}
	if (!(m->changes & (m->changes - 1)))
		m->change = must(realloc(m->change, (2 * m->changes + 1) *
					 sizeof(*m->change)));
	c = &m->change[m->changes++];
	*c = (struct change){ .at = at, .len = len };
	if (data)
		c->data = memcpy(must(malloc(len + 1)), data, len);
}

/* All of it is on disk */
static void settle(struct image *m)
{
	for (unsigned int i = 0; i < m->changes; i++) {
		const struct change *c = &m->change[i];

		if (c->data)
			write_part(m, c->at, c->data, c->len);
		else
			resize(m, c->at);
	}
	forget_changes(m);
	m->exists = true;
	m->gone = false;
}

static void load(struct image *m, const char *path)
{
	uint8_t buffer[4096];
	FILE *f = fopen(path, "r");
	size_t n;

	snprintf(m->path, sizeof(m->path), "%s", path);
	m->exists = f;
	m->gone = false;
	m->size = 0;
	resize(m, 0);
	while (f && (n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		write_part(m, m->size, buffer, n);
	if (f)
		fclose(f);
}

static struct image *find_image(const char *path)
{
	for (int i = 0; i < FILES; i++)
		if (!strcmp(images[i].path, path))
			return &images[i];
	return NULL;
}

/* As it is before it is opened */
static struct image *image_of(const char *path)
{
	struct image *m = find_image(path);

	if (m)
		return m;
	m = must(find_image(""));
	load(m, path);
	return m;
}

static struct cut_file *file_of(sqlite3_file *f)
{
	return (struct cut_file *)f;
}

static int cut_close(sqlite3_file *f)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
}

static int cut_read(sqlite3_file *f, void *data, int n, sqlite3_int64 at)
{
	sqlite3_file *real = file_of(f)->real;

	return off ? SQLITE_IOERR_READ :
		     real->pMethods->xRead(real, data, n, at);
}

static int cut_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
	struct cut_file *c = file_of(f);

	if (off)
		return SQLITE_IOERR_WRITE;
	if (c->image)
		add_change(c->image, at, data, n);
	if (c->image && event())
		return SQLITE_IOERR_WRITE;
	return c->real->pMethods->xWrite(c->real, data, n, at);
}

static int cut_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct cut_file *c = file_of(f);

	if (off)
		return SQLITE_IOERR_TRUNCATE;
	if (c->image)
		add_change(c->image, size, NULL, 0);
	if (c->image && event())
		return SQLITE_IOERR_TRUNCATE;
	return c->real->pMethods->xTruncate(c->real, size);
}

/* The names in the folder are on disk: those of all files */
static void settle_names(void)
{
	for (int i = 0; i < FILES; i++)
		if (images[i].gone) {
			images[i].exists = images[i].gone = false;
			images[i].size = 0;
		}
}

static int cut_sync(sqlite3_file *f, int flags)
{
	struct cut_file *c = file_of(f);

	(void)flags;
	if (off || (c->image && event()))
		return SQLITE_IOERR_FSYNC;
	/* the real one need not be slow; it syncs the folder of a new log */
	if (c->image && armed) {
		if (c->is_log && !c->image->exists)
			settle_names();
		settle(c->image);
	}
	return SQLITE_OK;
}

static int cut_size(sqlite3_file *f, sqlite3_int64 *size)
{
	sqlite3_file *real = file_of(f)->real;

	return off ? SQLITE_IOERR_FSTAT :
		     real->pMethods->xFileSize(real, size);
}

/* What is the same as without us */
static int cut_lock(sqlite3_file *f, int how)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xLock(real, how);
}

static int cut_unlock(sqlite3_file *f, int how)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xUnlock(real, how);
}

static int cut_reserved(sqlite3_file *f, int *is)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xCheckReservedLock(real, is);
}

static int cut_control(sqlite3_file *f, int what, void *arg)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xFileControl(real, what, arg);
}

static int cut_sector(sqlite3_file *f)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xSectorSize(real);
}

static int cut_device(sqlite3_file *f)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xDeviceCharacteristics(real);
}

static int cut_shm_map(sqlite3_file *f, int page, int size, int extend,
		       void volatile **p)
{
	sqlite3_file *real = file_of(f)->real;

	return off ? SQLITE_IOERR_SHMMAP :
		     real->pMethods->xShmMap(real, page, size, extend, p);
}

static int cut_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xShmLock(real, at, n, flags);
}

static void cut_shm_barrier(sqlite3_file *f)
{
	sqlite3_file *real = file_of(f)->real;

	real->pMethods->xShmBarrier(real);
}

static int cut_shm_unmap(sqlite3_file *f, int delete)
{
	sqlite3_file *real = file_of(f)->real;

	return real->pMethods->xShmUnmap(real, delete);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,			/* no memory maps */
	.xClose = cut_close, .xRead = cut_read, .xWrite = cut_write,
	.xTruncate = cut_truncate, .xSync = cut_sync, .xFileSize = cut_size,
	.xLock = cut_lock, .xUnlock = cut_unlock,
	.xCheckReservedLock = cut_reserved, .xFileControl = cut_control,
	.xSectorSize = cut_sector, .xDeviceCharacteristics = cut_device,
	.xShmMap = cut_shm_map, .xShmLock = cut_shm_lock,
	.xShmBarrier = cut_shm_barrier, .xShmUnmap = cut_shm_unmap,
};

static int cut_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f,
		    int flags, int *out)
{
	const int lasts = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL |
			  SQLITE_OPEN_MAIN_JOURNAL;
	struct cut_file *c = file_of(f);
	int code;

	(void)vfs;
	*c = (struct cut_file){ .real = (sqlite3_file *)(c + 1) };
	if (off)
		return SQLITE_CANTOPEN;
	if (path && flags & lasts)
		c->image = image_of(path);
	c->is_log = !(flags & SQLITE_OPEN_MAIN_DB);
	code = under->xOpen(under, path, c->real, flags, out);
	if (c->real->pMethods)
		f->pMethods = &methods;
	return code;
}

static int cut_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
	struct image *m = find_image(path);

	(void)vfs;
	if (off || (m && event()))
		return SQLITE_IOERR_DELETE;
	if (m && armed) {
		forget_changes(m);
		m->gone = true;
		if (sync_folder) {
			m->exists = false;
			m->size = 0;
		}
	}
	return under->xDelete(under, path, 0);
}

bool cut_vfs_install(void)
{
	under = sqlite3_vfs_find(NULL);
	if (!under)
		return false;
	shim = *under;
	shim.zName = "cut";
	shim.szOsFile = sizeof(struct cut_file) + under->szOsFile;
	shim.xOpen = cut_open;
	shim.xDelete = cut_delete;
	return sqlite3_vfs_register(&shim, 1) == SQLITE_OK;
}

void cut_vfs_arm(unsigned int events)
{
	cut_vfs_disarm();
	left = events;
	armed = true;
}

void cut_vfs_disarm(void)
{
	for (int i = 0; i < FILES; i++) {
		forget_changes(&images[i]);
		free(images[i].synced);
		free(images[i].change);
		images[i] = (struct image){ 0 };
	}
	armed = off = false;
}

bool cut_vfs_is_off(void)
{
	return off;
}

/* In parts, each of which is there or not */
static void tear(struct image *m, const struct change *c, uint64_t *seed,
		 unsigned int percent)
{
	size_t at = 0, n;

	while (at < c->len) {
		n = SECTOR - (c->at + at) % SECTOR;
		n = n > c->len - at ? c->len - at : n;
		if (rnd(seed, 100) < percent)
			write_part(m, c->at + at, c->data + at, n);
		at += n;
	}
}

static void leave_image(struct image *m, uint64_t *seed)
{
	static const unsigned int percents[] = { 0, 50, 90, 100 };
	const unsigned int percent = percents[rnd(seed, 4)];
	bool there = m->exists;
	FILE *f;

	/* its name, if no sync said more */
	if (m->exists && m->gone && !m->changes)
		there = rnd(seed, 2);
	else if (!m->exists && m->changes)
		there = percent && rnd(seed, 4);
	for (unsigned int i = 0; i < m->changes; i++)
		if (m->change[i].data)
			tear(m, &m->change[i], seed, percent);
		else if (rnd(seed, 100) < percent)
			resize(m, m->change[i].at);
	unlink(m->path);
	if (!there)
		return;
	f = must(fopen(m->path, "w"));
	if (fwrite(m->synced, 1, m->size, f) != m->size || fclose(f))
		abort();
}

/* The index of the log is not on disk: nothing, or anything */
static void leave_index(const char *path, uint64_t *seed)
{
	char name[PATH + 8];
	FILE *f;

	snprintf(name, sizeof(name), "%s-shm", path);
	if (access(name, F_OK) || !rnd(seed, 3))
		return;
	unlink(name);
	if (rnd(seed, 2))
		return;
	f = must(fopen(name, "w"));
	for (int i = 0; i < 32768; i++)
		putc(rnd(seed, 256), f);
	fclose(f);
}

void cut_vfs_leave(uint64_t *seed)
{
	for (int i = 0; i < FILES; i++)
		if (*images[i].path) {
			leave_image(&images[i], seed);
			leave_index(images[i].path, seed);
		}
	cut_vfs_disarm();
}
