// SPDX-License-Identifier: GPL-2.0-only
/*
 * xml.c - XML-RPC values from and to XML, by libxmlrpc
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "xml.h"

/* Return: whether there was an error; clears it */
static bool xml_failed(xmlrpc_env *env)
{
	bool failed = env->fault_occurred;

	xmlrpc_env_clean(env);
	return failed;
}

void xml_put(xmlrpc_value *value)
{
	if (value)
		xmlrpc_DECREF(value);
}

int xml_size(xmlrpc_value *array)
{
	xmlrpc_env env;
	int n;

	if (!array || xmlrpc_value_type(array) != XMLRPC_TYPE_ARRAY)
		return 0;
	xmlrpc_env_init(&env);
	n = xmlrpc_array_size(&env, array);
	return xml_failed(&env) ? 0 : n;
}

xmlrpc_value *xml_item(xmlrpc_value *array, int i)
{
	xmlrpc_value *item = NULL;
	xmlrpc_env env;

	if (i >= xml_size(array))
		return NULL;
	xmlrpc_env_init(&env);
	xmlrpc_array_read_item(&env, array, (unsigned int)i, &item);
	return xml_failed(&env) ? NULL : item;
}

char *xml_string(xmlrpc_value *array, int i)
{
	xmlrpc_value *item = xml_item(array, i);
	const char *text = NULL;
	xmlrpc_env env;

	if (!item)
		return NULL;
	xmlrpc_env_init(&env);
	if (xmlrpc_value_type(item) == XMLRPC_TYPE_STRING)
		xmlrpc_read_string(&env, item, &text);
	xml_put(item);
	return xml_failed(&env) ? NULL : (char *)text;
}

int xml_int(xmlrpc_value *array, int i, int otherwise)
{
	xmlrpc_value *item = xml_item(array, i);
	int number = otherwise;
	xmlrpc_env env;

	if (!item)
		return otherwise;
	xmlrpc_env_init(&env);
	if (xmlrpc_value_type(item) == XMLRPC_TYPE_INT)
		xmlrpc_read_int(&env, item, &number);
	xml_put(item);
	return xml_failed(&env) ? otherwise : number;
}

uint8_t *xml_base64(xmlrpc_value *array, int i, size_t *len)
{
	xmlrpc_value *item = xml_item(array, i);
	const unsigned char *bytes = NULL;
	xmlrpc_env env;

	if (!item)
		return NULL;
	xmlrpc_env_init(&env);
	if (xmlrpc_value_type(item) == XMLRPC_TYPE_BASE64)
		xmlrpc_read_base64(&env, item, len, &bytes);
	xml_put(item);
	return xml_failed(&env) ? NULL : (uint8_t *)bytes;
}

xmlrpc_value *xml_build(const char *format, ...)
{
	xmlrpc_value *value = NULL;
	const char *rest;
	xmlrpc_env env;
	va_list ap;

	xmlrpc_env_init(&env);
	va_start(ap, format);
	xmlrpc_build_value_va(&env, format, ap, &value, &rest);
	va_end(ap);
	return xml_failed(&env) ? NULL : value;
}

xmlrpc_value *xml_array(void)
{
	return xml_build("()");
}

void xml_append(xmlrpc_value *array, xmlrpc_value *item)
{
	xmlrpc_env env;

	if (!array || !item) {
		xml_put(item);
		return;
	}
	xmlrpc_env_init(&env);
	xmlrpc_array_append_item(&env, array, item);
	xml_put(item);
	xmlrpc_env_clean(&env);
}

/*
 * XML-RPC has no document types, and their entities can expand a small text to
 * a large one.
 */
static bool xml_has_doctype(const char *text, size_t len)
{
	const char *end = text + len;

	while ((text = memchr(text, '<', (size_t)(end - text)))) {
		if (end - text > 2 && text[1] == '!' && text[2] != '-')
			return true;
		text++;
	}
	return false;
}

int xml_parse_call(const void *text, size_t len, char **method,
		   xmlrpc_value **params)
{
	const char *name = NULL;
	xmlrpc_env env;

	if (xml_has_doctype(text, len))
		return -EPROTO;
	xmlrpc_env_init(&env);
	xmlrpc_parse_call(&env, text, len, &name, params);
	if (xml_failed(&env))
		return -EPROTO;
	*method = (char *)name;
	return 0;
}

int xml_parse_answer(const void *text, size_t len, xmlrpc_value **value)
{
	const char *words = NULL;
	xmlrpc_env env;
	int fault = 0;

	*value = NULL;
	if (xml_has_doctype(text, len))
		return -EPROTO;
	xmlrpc_env_init(&env);
	xmlrpc_parse_response2(&env, text, len, value, &fault, &words);
	if (xml_failed(&env))
		return -EPROTO;
	if (words) {
		free((char *)words);
		return -EPROTO;
	}
	return 0;
}

/* Copy libxmlrpc's output to @out */
static int xml_written(struct bytes *out, xmlrpc_env *env,
		       xmlrpc_mem_block *text)
{
	bool failed = xml_failed(env);
	int err = -ENOMEM;

	if (!failed)
		err = bytes_append(out, xmlrpc_mem_block_contents(text),
				   xmlrpc_mem_block_size(text));
	if (text)
		xmlrpc_mem_block_free(text);
	return err;
}

int xml_write_call(struct bytes *out, const char *method, xmlrpc_value *params)
{
	xmlrpc_mem_block *text;
	xmlrpc_env env;
	int err;

	if (!params)
		return -ENOMEM;
	xmlrpc_env_init(&env);
	text = xmlrpc_mem_block_new(&env, 0);
	if (!env.fault_occurred)
		xmlrpc_serialize_call(&env, text, method, params);
	err = xml_written(out, &env, text);
	xml_put(params);
	return err;
}

int xml_write_answer(struct bytes *out, xmlrpc_value *value)
{
	xmlrpc_mem_block *text;
	xmlrpc_env env;
	int err;

	if (!value)
		return -ENOMEM;
	xmlrpc_env_init(&env);
	text = xmlrpc_mem_block_new(&env, 0);
	if (!env.fault_occurred)
		xmlrpc_serialize_response(&env, text, value);
	err = xml_written(out, &env, text);
	xml_put(value);
	return err;
}

int xml_write_fault(struct bytes *out, int code, const char *words)
{
	xmlrpc_env env, fault;
	xmlrpc_mem_block *text;

	xmlrpc_env_init(&env);
	xmlrpc_env_init(&fault);
	xmlrpc_env_set_fault(&fault, code, words);
	text = xmlrpc_mem_block_new(&env, 0);
	if (!env.fault_occurred)
		xmlrpc_serialize_fault(&env, text, &fault);
	xmlrpc_env_clean(&fault);
	return xml_written(out, &env, text);
}
