// SPDX-License-Identifier: GPL-2.0-only
/*
 * dds-writers - writers of any name and QoS, which write nothing or pictures
 *
 * usage: dds-writers [-d] [-f FORMAT [-r]] NAME...
 *
 * NAME is as DDS has it: rq/addRequest. -d: TRANSIENT_LOCAL, for all. They are
 * of sensor_msgs/Image; with -f of CompressedImage, and each writes a message
 * of that format ten times a second. -r: this process also reads them. Lasts
 * until it is killed.
 */
#include <dds/dds.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "sensor_msgs.h"

enum { WRITERS = 16384, BYTES = 20000 };

static dds_entity_t writers[WRITERS];
static int writers_open;

static int open_writers(char **names, bool durable, bool compressed, bool read)
{
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t participant, topic;

	if (durable)
		dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_MSECS(100));
	participant = dds_create_participant(DDS_DOMAIN_DEFAULT, NULL, NULL);
	for (; *names && writers_open < WRITERS; names++) {
		topic = dds_create_topic(participant, compressed ?
			&sensor_msgs_msg_dds__CompressedImage__desc :
			&sensor_msgs_msg_dds__Image__desc, *names, NULL, NULL);
		writers[writers_open] = dds_create_writer(participant, topic,
							  qos, NULL);
		if (writers[writers_open++] < 0 ||
		    (read && dds_create_reader(participant, topic, NULL,
					       NULL) < 0))
			return -1;
	}
	dds_delete_qos(qos);
	return writers_open ? 0 : -1;
}

static void write_all(char *format)
{
	static uint8_t bytes[BYTES];
	sensor_msgs_msg_dds__CompressedImage_ image = {
		.header.frame_id = (char *)"camera", .format = format,
		.data = { BYTES, BYTES, bytes, false },
	};

	for (int i = 0; i < writers_open; i++)
		dds_write(writers[i], &image);
}

int main(int argc, char **argv)
{
	bool durable = false, read = false;
	char *format = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "df:r")) != -1) {
		durable |= opt == 'd';
		read |= opt == 'r';
		if (opt == 'f')
			format = optarg;
	}
	if (open_writers(argv + optind, durable, format, read)) {
		fputs("usage: dds-writers [-d] [-f FORMAT [-r]] NAME...\n", stderr);
		return 2;
	}
	while (format) {
		write_all(format);
		usleep(100000);
	}
	pause();
	return 0;
}
