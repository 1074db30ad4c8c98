// SPDX-License-Identifier: GPL-2.0-only
/*
 * guard.c - the library relies on the layout of private members of roscpp and
 * on calls within it that go through its PLT. Both hold for one binary, and
 * its build ID (the linker's hash of it) names that one: ROSCPP_BUILD_ID is
 * from build_id.sh, which also looks at the PLT.
 */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "guard.h"
#include "build_id.h"

struct search {
	ElfW(Addr) function;
	const char *path;
	char id[2 * 64 + 1];
};

static void build_id(struct search *s, const char *at, const char *end)
{
	ElfW(Nhdr) note;
	size_t name, i;

	while ((size_t)(end - at) >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		name = (note.n_namesz + 3UL) & ~3UL;
		at += sizeof(note);
		if ((size_t)(end - at) < name + note.n_descsz)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(at, "GNU", 4)) {
			for (i = 0; i < note.n_descsz && i < 64; i++)
				sprintf(s->id + 2 * i, "%02x",
					(unsigned char)at[name + i]);
			return;
		}
		at += name + ((note.n_descsz + 3UL) & ~3UL);
	}
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	const ElfW(Phdr) *ph, *end = info->dlpi_phdr + info->dlpi_phnum;
	const char *start;

	(void)size;
	for (ph = info->dlpi_phdr; ph < end; ph++)
		if (ph->p_type == PT_LOAD &&
		    s->function - info->dlpi_addr - ph->p_vaddr < ph->p_memsz)
			break;
	if (ph == end)
		return 0;
	s->path = info->dlpi_name;
	for (ph = info->dlpi_phdr; ph < end; ph++) {
		start = (const char *)info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type == PT_NOTE)
			build_id(s, start, start + ph->p_memsz);
	}
	return 1;
}

bool guard(const void *function)
{
	struct search s = { .function = (ElfW(Addr))function, .path = "?" };

	dl_iterate_phdr(look, &s);
	if (!strcmp(s.id, ROSCPP_BUILD_ID))
		return true;
	fprintf(stderr, "optsample-ros1: %s has build ID %s, this library is "
		"for " ROSCPP_BUILD_ID ": nothing is sampled\n", s.path,
		*s.id ? s.id : "none");
	return false;
}
