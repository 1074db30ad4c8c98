/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fastdds-client.h - requests and answers of fastdds-client as bytes
 */
#ifndef IO_FASTDDS_CLIENT_H
#define IO_FASTDDS_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CLIENT_SERVICES = 6 };

/* /gdim/output/rooms */
const char *client_name(int kind);
/* Of the request, or of the answer */
const char *client_type(int kind, int part);
/* @to NULL: how many bytes */
size_t client_request(int kind, uint8_t *to, size_t room);
/* One line */
void client_print(int kind, const uint8_t *data, size_t len);

#ifdef __cplusplus
}
#endif

#endif
