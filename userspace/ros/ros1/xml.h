/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xml.h - XML-RPC values from and to XML, by libxmlrpc
 *
 * Readers accept any input: a missing value or one of another type is NULL,
 * false or 0. Writers consume the values that they are given.
 */
#ifndef ROS_ROS1_XML_H
#define ROS_ROS1_XML_H

#include <stdbool.h>
#include <xmlrpc-c/base.h>
#include "base/bytes.h"

/* Return: number of elements; 0 if it is not an array */
int xml_size(xmlrpc_value *array);
/* Return: element @i, a reference for the caller, or NULL */
xmlrpc_value *xml_item(xmlrpc_value *array, int i);
/* Return: element @i, free() it, or NULL if it is not a string */
char *xml_string(xmlrpc_value *array, int i);
/* Return: element @i, or @otherwise if it is not an integer */
int xml_int(xmlrpc_value *array, int i, int otherwise);
/* Return: element @i, free() it, or NULL if it is not base64 */
uint8_t *xml_base64(xmlrpc_value *array, int i, size_t *len);
/* Drop a reference; NULL is allowed */
void xml_put(xmlrpc_value *value);

/**
 * xml_build - as xmlrpc_build_value()
 * Return: NULL: no memory, or a string is not UTF-8
 */
xmlrpc_value *xml_build(const char *format, ...);
xmlrpc_value *xml_array(void);
/* Append and consume @item; NULL is not appended */
void xml_append(xmlrpc_value *array, xmlrpc_value *item);

/* Return: 0, or -EPROTO; the caller frees @method and puts @params */
int xml_parse_call(const void *text, size_t len, char **method,
		   xmlrpc_value **params);
/* Return: 0, or -EPROTO, also if it is a fault; the caller puts @value */
int xml_parse_answer(const void *text, size_t len, xmlrpc_value **value);
/* Return: 0 or -ENOMEM; consumes @params */
int xml_write_call(struct bytes *out, const char *method,
		   xmlrpc_value *params);
/* Return: 0 or -ENOMEM; consumes @value */
int xml_write_answer(struct bytes *out, xmlrpc_value *value);
int xml_write_fault(struct bytes *out, int code, const char *words);

#endif
