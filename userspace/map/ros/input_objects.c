// SPDX-License-Identifier: GPL-2.0-only
/*
 * input_objects - input that is no map: rooms, repeaters, images
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "map/ros/input_parts.h"
#include "map/ros/room_message.h"
#include "map/ros/submap_message.h"
#include "ros/msg/convert.h"

enum { REPEATERS = 4096 };	/* of a message */

/* For maps in the frame of the map */
static int input_check_frame(struct map_input *in, const char *topic,
			     const struct message_header *h)
{
	char frame[STORE_FRAME];

	if (submap_frame(&h->frame_id, frame))
		return input_refuse(in, topic, -EINVAL, "invalid frame_id");
	if (!map_input_is_map_frame(in, frame))
		return input_refuse(in, topic, -EINVAL, "frame %s, expected %s",
				    frame, in->config->frame);
	return 0;
}

static int stored(struct map_input *in, const char *topic, int err)
{
	return err ? input_refuse(in, topic, err, "%s",
				  store_error(site_store(in->site))) : 0;
}

int map_input_room(struct map_input *in, const char *topic,
		   const struct message_room *m)
{
	struct error error;
	struct room r;
	int err;

	input_count(in, INPUT_MESSAGES, 1);
	err = map_input_check_stamp(in, topic, m->header.stamp);
	if (!err)
		err = input_check_frame(in, topic, &m->header);
	if (err)
		return err;
	err = room_message_read(m, &r, &error);
	if (err)
		return input_refuse(in, topic, err, "%s", error.text);
	return stored(in, topic, store_room(site_store(in->site), &r));
}

int map_input_rooms(struct map_input *in, const char *topic, unsigned int rooms)
{
	char text[16];

	input_count(in, INPUT_MESSAGES, 1);
	snprintf(text, sizeof(text), "%u", rooms);
	return stored(in, topic, store_set(site_store(in->site), "rooms",
					   text));
}

int map_input_repeaters(struct map_input *in, const char *topic,
			const struct message_polygon *m)
{
	const unsigned int count = m->points.count;
	struct message_list rest = m->points;
	double (*xy)[2];
	struct message_point32 p;
	unsigned int n = 0;
	int err;

	input_count(in, INPUT_MESSAGES, 1);
	err = map_input_check_stamp(in, topic, m->header.stamp);
	if (!err)
		err = input_check_frame(in, topic, &m->header);
	if (!err && count > REPEATERS)
		err = input_refuse(in, topic, -E2BIG,
				   "too many repeaters: %u, at most %d", count,
				   REPEATERS);
	if (err)
		return err;
	xy = calloc(count + 1, sizeof(*xy));
	if (!xy)
		return input_refuse(in, topic, -ENOMEM, "out of memory");
	while (!err && n < count && message_next_point(&rest, &p)) {
		if (!room_message_point(&p))
			err = input_refuse(in, topic, -EINVAL,
					   "repeater position out of range");
		xy[n][0] = p.x;
		xy[n++][1] = p.y;
	}
	if (!err)
		err = stored(in, topic, store_repeaters(site_store(in->site),
				m->header.stamp, (const void *)xy, n));
	free(xy);
	return err;
}

/*
 * Images: only checked
 */

int map_input_image(struct map_input *in, const char *topic,
		    const struct message_image *m)
{
	struct image shape;

	input_count(in, INPUT_MESSAGES, 1);
	if (message_image_shape(m, &shape) == -EBADMSG || !m->width ||
	    !m->height)
		return input_refuse(in, topic, -EBADMSG,
				    "image of %u bytes does not match its size "
				    "of %u x %u",
				    m->data.count, m->width, m->height);
	return map_input_check_stamp(in, topic, m->header.stamp);
}
