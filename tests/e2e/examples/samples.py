#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Small files with the names that documents use: samples.py FOLDER LOG.clf"""
import math
import os
import sys

to, log = sys.argv[1:]


def path(name):
    return os.path.join(to, name)


def submaps():
    """Two submaps of 200 x 200 cells: a room each"""
    cells = bytes(90 if x in (20, 180) or y in (20, 180) else 5
                  for y in range(200) for x in range(200))
    with open(path('submaps.i8'), 'wb') as f:
        f.write(cells * 2)
    for name, y in ('poses.csv', 0), ('corrected.csv', 0.5):
        with open(path(name), 'w') as f:
            f.write(f'0,0,0,0\n1,6,{y},0\n')


def readings():
    """Stamp, odometry and ranges of each line of a log of slam-world"""
    for line in open(log):
        v = line.split()
        n = int(v[8])
        yield float(v[-3]), v[10 + n:13 + n], v[9:9 + n], v


def slam():
    """A log of Simbad, a trajectory of odometry alone, and true relations"""
    with open(path('simbad.csv'), 'w') as csv, \
            open(path('slam.tum'), 'w') as tum:
        stamps = []
        for stamp, (x, y, yaw), ranges, v in readings():
            stamps.append(stamp)
            begin, step = float(v[2]), float(v[4])
            csv.write(','.join(
                [v[5], '0.1', str(begin),
                 str(begin + step * (len(ranges) - 1)), str(step), x, y, yaw] +
                ranges) + '\n')
            a = float(yaw) / 2
            tum.write(f'{stamp} {x} {y} 0 0 0 {math.sin(a)} {math.cos(a)}\n')
    for name in 'aces', 'intel':
        with open(path(name + '.relations'), 'w') as f:
            f.write(f'{stamps[0]} {stamps[-1]} 1 0 0 0 0 0\n')


submaps()
slam()
with open(path('tokens'), 'w') as f:
    f.write('a-token-of-some-length-0123456789\n')
os.chmod(path('tokens'), 0o600)
