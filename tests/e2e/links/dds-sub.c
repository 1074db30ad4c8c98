// SPDX-License-Identifier: GPL-2.0-only
/*
 * dds-sub - the operator as an ordinary Cyclone DDS node: prints "NAME NUMBER
 * CRC" for each message, ends when all topics have one after LAST
 */
#include "app.h"
#include "dds-app.h"

enum { TAKE_MAX = 32 };

static dds_entity_t readers[APP_TOPICS];

static bool print(struct app *a, unsigned int t, const void *sample)
{
	const sensor_msgs_msg_dds__CompressedImage_ *image = sample;
	const sensor_msgs_msg_dds__LaserScan_ *scan = sample;
	const geometry_msgs_msg_dds__Twist_ *twist = sample;

	if (a->topics[t].kind == APP_TWIST)
		return app_received(a, t, twist->linear.x, "", 0);
	if (a->topics[t].kind == APP_SCAN)
		return app_received(a, t, atoi(scan->header.frame_id),
				    scan->ranges._buffer,
				    scan->ranges._length * sizeof(float));
	return app_received(a, t, atoi(image->header.frame_id),
			    image->data._buffer, image->data._length);
}

/* Return: true when it is over */
static bool take(struct app *a, unsigned int t)
{
	void *samples[TAKE_MAX] = { NULL };
	dds_sample_info_t info[TAKE_MAX];
	bool over = false;
	dds_return_t n;

	n = dds_take(readers[t], samples, info, TAKE_MAX, TAKE_MAX);
	for (dds_return_t i = 0; i < n; i++)
		if (info[i].valid_data)
			over |= print(a, t, samples[i]);
	if (n > 0)
		dds_return_loan(readers[t], samples, n);
	return over || !dds_ok("dds-sub", "take", n);
}

int main(int argc, char **argv)
{
	dds_entity_t participant, waitset;
	static struct app a;
	bool over = false;

	if (!app_options(&a, argc, argv, false))
		return 2;
	participant = dds_app_join("dds-sub", &a, dds_create_reader, readers);
	if (participant < 0)
		return 1;
	waitset = dds_create_waitset(participant);
	for (unsigned int t = 0; t < a.ntopics; t++)
		dds_waitset_attach(waitset, dds_create_readcondition(readers[t],
						DDS_ANY_STATE), t);
	while (!over) {
		dds_waitset_wait(waitset, NULL, 0, DDS_MSECS(500));
		for (unsigned int t = 0; t < a.ntopics; t++)
			over |= take(&a, t);
	}
	dds_delete(participant);
	return 0;
}
