#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""misplaced.py - how much of a map's walls is where the plan has none

usage: misplaced.py MAP PLAN

Both without .pgm: maps of map_server that are not turned, the first one of mode
raw, the other one black and white, of the same resolution. Prints percent.
"""
import re
import sys

NEAR = 0.25                     # m


def read(name):
    """Resolution, cells of the origin, and where pixels are dark"""
    text = open(name + '.yaml').read()
    side = float(re.search(r'resolution: (\S+)', text).group(1))
    at = re.search(r'origin: \[(\S+), (\S+),', text).groups()
    data = open(name + '.pgm', 'rb').read()
    head = re.match(rb'P5\n(\d+) (\d+)\n255\n', data)
    width, height = int(head.group(1)), int(head.group(2))
    x0, y0 = (round(float(v) / side) for v in at)
    raw = 'mode: raw' in text
    cells = set()
    for i, v in enumerate(data[head.end():]):
        if (50 <= v <= 100) if raw else v < 100:
            cells.add((x0 + i % width, y0 + height - 1 - i // width))
    return side, cells


def main():
    side, walls = read(sys.argv[1])
    _, plan = read(sys.argv[2])
    n = int(NEAR / side)
    near = [(x, y) for x in range(-n, n + 1) for y in range(-n, n + 1)
            if (x * x + y * y) * side * side <= NEAR * NEAR]
    wrong = sum(not any((x + u, y + v) in plan for u, v in near)
                for x, y in walls)
    print(round(100 * wrong / len(walls)))


if __name__ == '__main__':
    main()
