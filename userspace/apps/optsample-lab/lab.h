/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lab.h - shared by the parts of optsample-lab
 *
 *   optsample-lab.c  table of commands
 *   cmd_*.c          one command each
 *   options.c        file, link and output: options of all commands
 *   loss.c           which datagrams arrive
 *   png_file.c       images in PNG files
 *   cloud_file.c     clouds in .pcd files and others
 *   file.c           a file in memory
 *   convert.c        images to 8 bit and gray, and comparison of images
 */
#ifndef APPS_OPTSAMPLE_LAB_LAB_H
#define APPS_OPTSAMPLE_LAB_LAB_H

#include "base/cli.h"
#include "codec/image/image.h"

int cmd_image(int argc, char **argv);
int cmd_cloud(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_scan(int argc, char **argv);

#endif
