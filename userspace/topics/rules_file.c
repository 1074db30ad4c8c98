// SPDX-License-Identifier: GPL-2.0-only
/*
 * topics.conf, see rules_file.h. Not by inih: it cuts headings at 49 bytes.
 */
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/lines.h"
#include "bpf/ros_tag.h"
#include "topics/rules_file.h"

/**
 * struct rules_read - the file while it is read
 * @section:	the section of the line
 * @text:	its keys so far
 * @begun:	there is a section
 * @wrong:	it is left out
 * @line:	number of the line, or of the section's heading at its end
 */
struct rules_read {
	struct rules_section	section;
	struct rule_text	text;
	bool			begun;
	bool			wrong;
	uint64_t		line;
	uint64_t		heading;
	int			(*take)(void *arg,
					const struct rules_section *s);
	void			(*bad)(void *arg, const char *why);
	void			*arg;
};

/* Only the first fault of a section is reported. */
static void rules_wrong(struct rules_read *r, uint64_t line, const char *why)
{
	char text[ERROR_TEXT + 32];

	if (!r->wrong) {
		snprintf(text, sizeof(text), "%llu: %s",
			 (unsigned long long)line, why);
		r->bad(r->arg, text);
	}
	r->wrong = true;
}

static char *rules_trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	return s;
}

static void rules_patterns_free(struct rules_section *s)
{
	for (int i = 0; i < s->n; i++)
		free(s->patterns[i]);
	free(s->patterns);
	*s = (struct rules_section){ 0 };
}

static void rules_pattern(struct rules_read *r, const char *name)
{
	struct rules_section *s = &r->section;

	if (strlen(name) >= ROS_PATTERN) {
		rules_wrong(r, r->line, "a pattern has at most 127 characters");
		return;
	}
	s->patterns = realloc(s->patterns, (s->n + 1) * sizeof(*s->patterns));
	if (!s->patterns || !(s->patterns[s->n++] = strdup(name)))
		abort();
}

/* Hand on the section before. Return: 0, or negative errno of @take */
static int rules_section_end(struct rules_read *r)
{
	struct error error;
	int err = 0;

	if (r->begun && !r->wrong && rule_text_end(&r->text, &error))
		rules_wrong(r, r->heading, error.text);
	if (r->begun && !r->wrong) {
		r->section.rule = r->text.r;
		err = r->take(r->arg, &r->section);
	}
	rules_patterns_free(&r->section);
	r->text = (struct rule_text){ 0 };
	r->begun = false;
	r->wrong = false;
	return err;
}

/* @text: what follows the bracket */
static int rules_heading(struct rules_read *r, char *text)
{
	char *end = strrchr(text, ']'), *word, *save;
	int err = rules_section_end(r);

	r->begun = true;
	r->heading = r->line;
	if (!end || *rules_trim(end + 1)) {
		rules_wrong(r, r->line, "a heading ends with ]");
		return err;
	}
	*end = '\0';
	word = strtok_r(text, " \t", &save);
	if (!word || strcmp(word, "topic")) {
		rules_wrong(r, r->line, "a heading is [topic NAME...]");
		return err;
	}
	while ((word = strtok_r(NULL, " \t", &save)))
		rules_pattern(r, word);
	if (!r->section.n)
		rules_wrong(r, r->line, "a heading is [topic NAME...]");
	return err;
}

static void rules_on_key(struct rules_read *r, char *text)
{
	char *value = strchr(text, '=');
	struct error error;

	if (!r->begun) {
		rules_wrong(r, r->line, "there is no [topic NAME...] before");
		return;
	}
	if (value) {
		*value++ = '\0';
		value = rules_trim(value);
	}
	if (rule_text_set(&r->text, rules_trim(text), value, &error))
		rules_wrong(r, r->line, error.text);
}

static int rules_line(struct rules_read *r, char *text)
{
	text = rules_trim(text);
	if (!*text || *text == '#' || *text == ';')
		return 0;
	if (*text == '[')
		return rules_heading(r, text + 1);
	rules_on_key(r, text);
	return 0;
}

int rules_file_read(const char *path,
		    int (*take)(void *arg, const struct rules_section *s),
		    void *arg, void (*bad)(void *arg, const char *why))
{
	struct rules_read r = { .take = take, .bad = bad, .arg = arg };
	int got, err = 0, last;
	struct lines l;
	size_t len;
	char *text;

	got = lines_open(&l, path);
	if (got)
		return got;
	while (!err && ((got = lines_next(&l, &text, &len)) > 0 ||
			got == -EMSGSIZE)) {
		r.line = l.number;
		if (got < 0 || memchr(text, '\0', len))
			rules_wrong(&r, r.line, "not a line of text");
		else
			err = rules_line(&r, text);
	}
	lines_close(&l);
	last = err || got < 0 ? 0 : rules_section_end(&r);
	rules_patterns_free(&r.section);
	return err ?: got ?: last;
}

/*
 * Writing
 */

static bool rules_together(const struct rule *a, const struct rule *b)
{
	return !a->r.never && !b->r.never && a->r.profile == b->r.profile;
}

/* Was it written in the section of an earlier rule? */
static bool rules_written(const struct rule_list *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (rules_together(&l->v[k], &l->v[i]))
			return true;
	return false;
}

static void rules_write_section(FILE *f, const struct rule_list *l, size_t i)
{
	const struct rule *first = &l->v[i];

	fprintf(f, "\n[topic %s", first->pattern);
	for (size_t k = i + 1; k < l->n; k++)
		if (rules_together(first, &l->v[k]))
			fprintf(f, " %s", l->v[k].pattern);
	fputs("]\n", f);
	if (first->r.never)
		fputs("never = yes\n", f);
	else
		rule_text_print(f, &first->r, "%s = %s\n");
}

int rules_file_write(const char *path, const struct rule_list *l,
		     struct error *error)
{
	char folder[PATH_MAX], *text = NULL;
	struct atomic_file file;
	size_t size = 0;
	FILE *f;
	int err;

	snprintf(folder, sizeof(folder), "%s", path);
	mkdir(dirname(folder), 0755);
	f = open_memstream(&text, &size);
	if (!f)
		abort();
	fputs("# Rules for topics, see optsample(8). 'optsample topic DEV --save' writes this file.\n",
	      f);
	for (size_t i = 0; i < l->n; i++)
		if (!rules_written(l, i))
			rules_write_section(f, l, i);
	if (fclose(f))
		abort();
	err = atomic_file_open(&file, path, error);
	if (!err) {
		atomic_file_write(&file, text, size);
		err = atomic_file_finish(&file, error);
	}
	free(text);
	return err;
}
