/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bayer_name.h - announce an image whose Bayer mosaic was split by colour
 *
 * The suffix follows the encoding. A receiver that does not know it treats the
 * image as gray and shows the four pictures. A sender that does not know it
 * sends no suffix, and its mosaics are shown as they arrive.
 */
#ifndef TRANSPORT_BAYER_NAME_H
#define TRANSPORT_BAYER_NAME_H

#define BAYER_PLANES	"; planes"

#endif
