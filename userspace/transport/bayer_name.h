/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bayer_name.h - how an announcement says that a mosaic's colours are apart
 *
 * It is behind the encoding. A receiver that does not know it takes the image
 * for gray, and shows the four pictures; a sender that does not know it does
 * not say it, and its mosaics are shown as they come.
 */
#ifndef TRANSPORT_BAYER_NAME_H
#define TRANSPORT_BAYER_NAME_H

#define BAYER_PLANES	"; planes"

#endif
