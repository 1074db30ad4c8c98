// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures-jpeg - the best JPEG of each frame that does not exceed a size
 *
 *	figures-jpeg WxH BYTES FRAMES FOLDER
 *
 * FRAMES are gray, raw, one after the other. FOLDER gets 000.jpg, 001.jpg, ...
 * and shown.gray, the frames as they are decoded. Prints the mean size.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>

struct jpeg {
	unsigned int	width, height;
	unsigned long	budget, len;
	uint8_t		*frame, *shown;
	unsigned char	*data;
};

static void encode(struct jpeg *j, int quality)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr err;

	free(j->data);
	j->data = NULL;
	j->len = 0;
	c.err = jpeg_std_error(&err);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &j->data, &j->len);
	c.image_width = j->width;
	c.image_height = j->height;
	c.input_components = 1;
	c.in_color_space = JCS_GRAYSCALE;
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, quality, TRUE);
	c.optimize_coding = TRUE;
	jpeg_start_compress(&c, TRUE);
	while (c.next_scanline < c.image_height) {
		JSAMPROW row = j->frame + (size_t)c.next_scanline * j->width;

		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
}

static void decode(struct jpeg *j)
{
	struct jpeg_decompress_struct d;
	struct jpeg_error_mgr err;

	d.err = jpeg_std_error(&err);
	jpeg_create_decompress(&d);
	jpeg_mem_src(&d, j->data, j->len);
	jpeg_read_header(&d, TRUE);
	jpeg_start_decompress(&d);
	while (d.output_scanline < d.output_height) {
		JSAMPROW row = j->shown + (size_t)d.output_scanline * j->width;

		jpeg_read_scanlines(&d, &row, 1);
	}
	jpeg_finish_decompress(&d);
	jpeg_destroy_decompress(&d);
}

/* Return: false: even the worst is too large */
static bool fit(struct jpeg *j)
{
	int low = 1, high = 100;

	while (low < high) {
		int mid = (low + high + 1) / 2;

		encode(j, mid);
		if (j->len > j->budget)
			high = mid - 1;
		else
			low = mid;
	}
	encode(j, low);
	return j->len <= j->budget;
}

static bool store(const char *folder, unsigned int n, const struct jpeg *j)
{
	char path[4096];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/%03u.jpg", folder, n);
	f = fopen(path, "w");
	ok = f && fwrite(j->data, 1, j->len, f) == j->len;
	return !(f && fclose(f)) && ok;
}

static int run(struct jpeg *j, const char *frames, const char *folder)
{
	size_t size = (size_t)j->width * j->height, sum = 0;
	FILE *in = fopen(frames, "r"), *out;
	unsigned int n = 0;
	char path[4096];
	bool ok = true;

	snprintf(path, sizeof(path), "%s/shown.gray", folder);
	out = fopen(path, "w");
	if (!in || !out) {
		fprintf(stderr, "figures-jpeg: %s: %s\n", in ? path : frames,
			strerror(errno));
		return 1;
	}
	j->frame = malloc(size);
	j->shown = malloc(size);
	while (ok && j->frame && j->shown &&
	       fread(j->frame, 1, size, in) == size) {
		ok = fit(j);
		decode(j);
		ok = ok && store(folder, n++, j) &&
			fwrite(j->shown, 1, size, out) == size;
		sum += j->len;
	}
	fclose(in);
	ok = !fclose(out) && ok && n;
	if (ok)
		printf("%zu\n", sum / n);
	else
		fprintf(stderr, "figures-jpeg: %s: frame %u failed\n", frames, n);
	free(j->frame);
	free(j->shown);
	free(j->data);
	return !ok;
}

int main(int argc, char **argv)
{
	struct jpeg j = { 0 };

	if (argc != 5 ||
	    sscanf(argv[1], "%ux%u", &j.width, &j.height) != 2 ||
	    !j.width || !j.height || j.width > 8192 || j.height > 8192 ||
	    !(j.budget = strtoul(argv[2], NULL, 10))) {
		fputs("usage: figures-jpeg WxH BYTES FRAMES FOLDER\n", stderr);
		return 2;
	}
	return run(&j, argv[3], argv[4]);
}
