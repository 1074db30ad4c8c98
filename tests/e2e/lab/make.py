#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Made-up files for optsample-lab: make.py FOLDER"""
import math
import os
import struct
import sys
import zlib


def png(path, width, height, depth, channels, value):
    rows = b''
    for y in range(height):
        rows += b'\0'
        for x in range(width):
            for c in range(channels):
                rows += value(x, y, c).to_bytes(depth // 8, 'big')

    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data +
                struct.pack('>I', zlib.crc32(kind + data)))

    kinds = {1: 0, 3: 2}
    with open(path, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' +
                chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth,
                                           kinds[channels], 0, 0, 0)) +
                chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def wave(x, y, c):
    return int(128 + 60 * math.sin(x / 9 + c) + 40 * math.cos(y / 7) +
               (x * 7 + y * 13) % 5)


def packets(path):
    """A VLP-16 in a round room of 5 m, two turns and a little"""
    with open(path, 'wb') as f:
        for n in range(160):
            p = b''
            for block in range(12):
                azimuth = (n * 12 + block) * 40 % 36000
                p += struct.pack('<HH', 0xeeff, azimuth)
                for laser in range(32):
                    w = math.radians(VERTICAL[laser % 16])
                    p += struct.pack('<HB', int(5 / math.cos(w) / 0.002), 30)
            f.write(p + struct.pack('<IBB', n * 1327, 0x37, 0x22))


VERTICAL = [-15, 1, -13, 3, -11, 5, -9, 7, -7, 9, -5, 11, -3, 13, -1, 15]

to = sys.argv[1]
png(os.path.join(to, 'gray.png'), 128, 96, 8, 1, wave)
png(os.path.join(to, 'colour.png'), 128, 96, 8, 3, wave)
png(os.path.join(to, 'deep.png'), 128, 96, 16, 1,
    lambda x, y, c: 17000 + 9 * wave(x, y, c))
png(os.path.join(to, 'flat.png'), 128, 96, 16, 1, lambda x, y, c: 30000)
# a wall with a window, as a sensor of disparity sees it
png(os.path.join(to, 'depth.png'), 128, 96, 16, 1,
    lambda x, y, c: 0 if 30 < x < 60 and 20 < y < 70 else
    600000 // (150 + x // 4))
with open(os.path.join(to, 'ascii.pcd'), 'w') as f:
    f.write('# .PCD v0.7\nVERSION 0.7\nFIELDS x y z intensity\n'
            'SIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 400\n'
            'HEIGHT 1\nPOINTS 400\nDATA ascii\n')
    for i in range(400):
        f.write('%g %g %g %d\n' % (i % 20, i // 20, 0.5, i % 256))
with open(os.path.join(to, 'floats.bin'), 'wb') as f:
    for i in range(400):
        f.write(struct.pack('<ffff', i % 20, i // 20, 0.5, 1))
with open(os.path.join(to, 'map.pgm'), 'wb') as f:
    f.write(b'P5\n# a comment\n200 150\n255\n')
    for y in range(150):
        for x in range(200):
            free = 40 < x < 160 and 30 < y < 120
            wall = 40 <= x <= 160 and 30 <= y <= 120
            f.write(bytes([254 if free else 0 if wall else 205]))
packets(os.path.join(to, 'packets.bin'))
