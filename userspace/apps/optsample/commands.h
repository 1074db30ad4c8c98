/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of optsample; arguments as for main(), with the command as
 * argv[0].
 */
#ifndef APPS_OPTSAMPLE_COMMANDS_H
#define APPS_OPTSAMPLE_COMMANDS_H

int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_topic(int argc, char **argv);
int cmd_topics(int argc, char **argv);
int cmd_discover(int argc, char **argv);
int cmd_send(int argc, char **argv);
int cmd_recv(int argc, char **argv);
int cmd_view(int argc, char **argv);

/**
 * cmd_helper() - a command of optsample-discover: it takes the place of this
 * program, or a line on stderr says why not
 */
int cmd_helper(int argc, char **argv);

/**
 * helper_exec() - the same
 * @argv: all arguments, from the name of the program to NULL
 *
 * Return: only if it fails, a negative errno: already logged.
 */
int helper_exec(const char **argv);

struct state;

/**
 * down_undo() - stop the daemon, undo its work and that of `up`
 * @st: what to undo
 *
 * Return: 0, or negative errno: if something could not be undone @st is still
 * in its file.
 */
int down_undo(struct state *st);

#endif
