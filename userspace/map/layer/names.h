/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - the names in the tables of modalities, rules and colours, for help
 * and errors
 */
#ifndef MAP_LAYER_NAMES_H
#define MAP_LAYER_NAMES_H

enum { NAMES_TEXT = 160 };

/**
 * enum names - which ones
 * @NAMES_ROLES:	of modalities
 * @NAMES_REPORTED:	of those that rooms and spots report
 * @NAMES_RULES:	of fusion
 * @NAMES_COLOURS:	of pictures
 */
enum names { NAMES_ROLES, NAMES_REPORTED, NAMES_RULES, NAMES_COLOURS };

/**
 * names_list() - in the order of the table, with commas between them
 * @last: instead of the last comma: " or "
 *
 * Return: @text.
 */
char *names_list(enum names names, const char *last, char text[NAMES_TEXT]);

#endif
