// SPDX-License-Identifier: GPL-2.0-only
/*
 * dds-writers - writers of any name and QoS, which write nothing
 *
 * usage: dds-writers [-d] NAME...
 *
 * NAME is as DDS has it: rq/addRequest. -d: TRANSIENT_LOCAL, for all. Lasts
 * until it is killed.
 */
#include <dds/dds.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "sensor_msgs.h"

int main(int argc, char **argv)
{
	bool durable = argc > 1 && !strcmp(argv[1], "-d");
	dds_entity_t participant, topic, writer = 0;
	dds_qos_t *qos = dds_create_qos();

	if (durable)
		dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_MSECS(100));
	participant = dds_create_participant(DDS_DOMAIN_DEFAULT, NULL, NULL);
	for (int i = 1 + durable; i < argc && writer >= 0; i++) {
		topic = dds_create_topic(participant,
			&sensor_msgs_msg_dds__CompressedImage__desc, argv[i],
			NULL, NULL);
		writer = dds_create_writer(participant, topic, qos, NULL);
	}
	dds_delete_qos(qos);
	if (writer <= 0) {
		fputs("usage: dds-writers [-d] NAME...\n", stderr);
		return 2;
	}
	pause();
	return 0;
}
