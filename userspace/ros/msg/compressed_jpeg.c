// SPDX-License-Identifier: GPL-2.0-only
/*
 * compressed_jpeg - JPEG in memory, by libjpeg
 *
 * libjpeg reports damage by error_exit(), which can only be left by longjmp().
 * So allocated memory is in structs that outlive it. A warning is damage, too:
 * invented pixels are worse than none.
 */
#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <jpeglib.h>
#include <jerror.h>
#include "ros/msg/compressed_codec.h"

enum {
	MEMORY	= 256 << 20,	/* bytes that libjpeg may use */
	SCANS	= 200,		/* of a progressive file: each costs a pass */
	GROW	= 64 << 10,
};

struct failure {
	struct jpeg_error_mgr	mgr;
	jmp_buf			out;
	int			err;
};

static void compressed_jpeg_fail(struct failure *f, int err)
{
	f->err = err;
	longjmp(f->out, 1);
}

static void compressed_jpeg_on_error(j_common_ptr c)
{
	/* jerror.h has two codes for out of memory, neither can be used here */
	compressed_jpeg_fail((struct failure *)c->err, -EBADMSG);
}

static void compressed_jpeg_on_message(j_common_ptr c, int level)
{
	/* cameras often cause this warning, and pixels are right */
	if (level < 0 && c->err->msg_code != JWRN_EXTRANEOUS_DATA)
		compressed_jpeg_fail((struct failure *)c->err, -EBADMSG);
}

static void compressed_jpeg_on_progress(j_common_ptr c)
{
	if (((j_decompress_ptr)c)->input_scan_number > SCANS)
		compressed_jpeg_fail((struct failure *)c->err, -EBADMSG);
}

static void catch(struct failure *f)
{
	memset(f, 0, sizeof(*f));
	jpeg_std_error(&f->mgr);
	f->mgr.error_exit = compressed_jpeg_on_error;
	f->mgr.emit_message = compressed_jpeg_on_message;
}

static int compressed_jpeg_read_header(struct jpeg_decompress_struct *c,
				       struct image *shape)
{
	jpeg_read_header(c, TRUE);
	if (c->num_components == 1)
		c->out_color_space = JCS_GRAYSCALE;
	else if (c->num_components == 3)
		c->out_color_space = JCS_RGB;
	else
		return -EOPNOTSUPP;
	shape->width = c->image_width;
	shape->height = c->image_height;
	shape->channels = c->num_components;
	shape->depth = 8;
	return compressed_fits(shape) ? 0 : -E2BIG;
}

static void compressed_jpeg_read_rows(struct jpeg_decompress_struct *c,
				      struct image *image)
{
	jpeg_start_decompress(c);
	while (c->output_scanline < c->output_height) {
		JSAMPROW row = image_row(image, c->output_scanline);

		jpeg_read_scanlines(c, &row, 1);
	}
	jpeg_finish_decompress(c);
}

int compressed_jpeg_read(const uint8_t *data, size_t len, struct image *image)
{
	struct jpeg_progress_mgr progress = {
		.progress_monitor = compressed_jpeg_on_progress
	};
	struct jpeg_decompress_struct c;
	struct image shape = { 0 };
	struct failure failure;
	int ret;

	catch(&failure);
	memset(&c, 0, sizeof(c));
	c.err = &failure.mgr;
	if (setjmp(failure.out)) {
		jpeg_destroy_decompress(&c);
		return failure.err;
	}
	jpeg_create_decompress(&c);
	c.mem->max_memory_to_use = MEMORY;
	c.progress = &progress;
	jpeg_mem_src(&c, data, len);
	ret = compressed_jpeg_read_header(&c, &shape);
	if (!ret && !image->data)
		*image = shape;
	else if (!ret && (shape.width != image->width ||
			  shape.height != image->height ||
			  shape.channels != image->channels ||
			  image->depth != 8))
		ret = -EBADMSG;
	else if (!ret)
		compressed_jpeg_read_rows(&c, image);
	jpeg_destroy_decompress(&c);
	return ret;
}

/*
 * Write to a buffer that grows
 */

struct target {
	struct jpeg_destination_mgr	mgr;
	struct compressed_buffer	*out;
};

static void more_room(j_compress_ptr c)
{
	struct target *t = (struct target *)c->dest;

	if (compressed_buffer_reserve(t->out, GROW))
		compressed_jpeg_fail((struct failure *)c->err, -ENOMEM);
	t->mgr.next_output_byte = t->out->data + t->out->len;
	t->mgr.free_in_buffer = t->out->size - t->out->len;
}

/* libjpeg expects the whole buffer to be used, whatever free_in_buffer is */
static boolean on_full(j_compress_ptr c)
{
	struct target *t = (struct target *)c->dest;

	t->out->len = t->out->size;
	more_room(c);
	return TRUE;
}

static void on_end(j_compress_ptr c)
{
	struct target *t = (struct target *)c->dest;

	assert(t->mgr.free_in_buffer <= t->out->size);
	t->out->len = t->out->size - t->mgr.free_in_buffer;
}

static void compressed_jpeg_write_rows(struct jpeg_compress_struct *c,
				       const struct image *image, int quality)
{
	c->image_width = image->width;
	c->image_height = image->height;
	c->input_components = image->channels;
	c->in_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(c);
	jpeg_set_quality(c, quality, TRUE);
	jpeg_start_compress(c, TRUE);
	while (c->next_scanline < c->image_height) {
		JSAMPROW row = image_row(image, c->next_scanline);

		jpeg_write_scanlines(c, &row, 1);
	}
	jpeg_finish_compress(c);
}

int compressed_jpeg_write(const struct image *image, int quality,
			  struct compressed_buffer *out)
{
	struct jpeg_compress_struct c;
	struct failure failure;
	struct target target = {
		.mgr = { .init_destination = more_room,
			 .empty_output_buffer = on_full,
			 .term_destination = on_end },
		.out = out,
	};

	catch(&failure);
	memset(&c, 0, sizeof(c));
	c.err = &failure.mgr;
	if (setjmp(failure.out)) {
		jpeg_destroy_compress(&c);
		return failure.err == -ENOMEM ? -ENOMEM : -EINVAL;
	}
	jpeg_create_compress(&c);
	c.dest = &target.mgr;
	compressed_jpeg_write_rows(&c, image, quality);
	jpeg_destroy_compress(&c);
	return 0;
}
