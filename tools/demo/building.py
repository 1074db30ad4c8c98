#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""building.py - a robot drives around in a building that burns

usage: building.py FOLDER

Submaps as a laser scanner and a thermal camera give them, every metre and a
half of the way: walls.i8, heat.i8 (int8, 100x100 cells of 0.1 m, the robot in
the middle, looking along x). Poses: drifted.csv, as odometry has them, and
true.csv, as SLAM when the loop closes. The plan of the building, for
map_server: plan.yaml. Always the same.
"""
import math
import random
import sys

RESOLUTION = 0.1                # m
SIDE = 100                      # cells of a submap
RANGE = 4.9                     # m
RAYS = 720
WIDTH, HEIGHT = 282, 202        # cells of the building
STEP = 1.5                      # m from submap to submap
FIRE = 22.5, 3.5                # m
FREE, WALL = 2, 98


def plan():
    """Rows of cells, True: a wall. A ring of corridors, rooms around it and
    within, each with a door"""
    grid = [[False] * WIDTH for _ in range(HEIGHT)]

    def wall(x0, y0, x1, y1, doors=()):
        for y in range(y0, y1 + 2):
            for x in range(x0, x1 + 2):
                along = x if x1 > x0 else y
                if not any(d <= along < d + 11 for d in doors):
                    grid[y][x] = True

    right, top = WIDTH - 2, HEIGHT - 2
    wall(0, 0, right, 0)
    wall(0, top, right, top)
    wall(0, 0, 0, top)
    wall(right, 0, right, top)
    # the outer rooms' inner walls, the core's outer ones
    wall(50, 50, 230, 50, (70, 115, 185, 212))
    wall(50, 150, 230, 150, (62, 128, 200))
    wall(50, 50, 50, 150, (112,))
    wall(230, 50, 230, 150, (70, 125))
    wall(72, 72, 208, 72, (100, 160, 188))
    wall(72, 128, 208, 128, (86, 140))
    wall(72, 72, 72, 128)
    wall(208, 72, 208, 128)
    for x in (95, 150, 175):
        wall(x, 0, x, 50)
    for x in (110, 170):
        wall(x, 150, x, top)
    for x in (120, 180):
        wall(x, 72, x, 128)
    wall(0, 100, 50, 100)
    wall(230, 100, right, 100)
    wall(0, 50, 50, 50, (20,))
    wall(0, 150, 50, 150, (26,))
    wall(230, 50, right, 50, (250,))
    wall(230, 150, right, 150, (247,))
    return grid


def way():
    """Poses along the middle of the corridor, once around and a bit more"""
    corner = [(6.2, 6.2), (22.0, 6.2), (22.0, 14.0), (6.2, 14.0)]
    corner += corner[:1] + [(12.0, 6.2)]
    poses, left = [], 0.0
    for (x0, y0), (x1, y1) in zip(corner, corner[1:]):
        length = math.hypot(x1 - x0, y1 - y0)
        yaw = math.atan2(y1 - y0, x1 - x0)
        at = left
        while at < length:
            poses.append((x0 + at * math.cos(yaw), y0 + at * math.sin(yaw),
                          yaw + 0.1 * math.sin(len(poses))))
            at += STEP
        left = at - length
    return poses


def drift(poses):
    """What odometry makes of them: 1.5 % too far, 0.25 degrees a metre"""
    x, y, yaw = poses[0]
    out = [poses[0]]
    for a, b in zip(poses, poses[1:]):
        far = math.hypot(b[0] - a[0], b[1] - a[1])
        to = math.atan2(b[1] - a[1], b[0] - a[0]) - a[2] + yaw
        x += 1.015 * far * math.cos(to)
        y += 1.015 * far * math.sin(to)
        yaw += math.remainder(b[2] - a[2], math.tau) + math.radians(0.25) * far
        out.append((x, y, yaw))
    return out


def heat(x, y):
    """Of a place: 20 to 320 degrees, of a range of 0 to 400"""
    d = math.hypot(x - FIRE[0], y - FIRE[1])
    return round((20 + 300 * math.exp(-d / 3.0)) / 4)


def look(grid, pose, rng):
    """Both submaps of a pose, by rays"""
    walls = bytearray(b'\xff' * SIDE * SIDE)
    heats = bytearray(walls)
    px, py, yaw = pose
    half = SIDE * RESOLUTION / 2
    for ray in range(RAYS):
        a = math.tau * (ray + rng.random()) / RAYS
        cx, cy = math.cos(a), math.sin(a)
        wx, wy = math.cos(a + yaw), math.sin(a + yaw)
        r = 0.0
        while r < RANGE:
            x, y = px + r * wx, py + r * wy
            i = int((cy * r + half) / RESOLUTION) * SIDE + \
                int((cx * r + half) / RESOLUTION)
            if grid[int(y / RESOLUTION)][int(x / RESOLUTION)]:
                walls[i] = WALL
                break
            if walls[i] != WALL:
                walls[i] = FREE
            heats[i] = heat(x, y)
            r += 0.08
    return walls, heats


def main():
    folder = sys.argv[1] + '/'
    grid, poses, rng = plan(), way(), random.Random(4)
    with open(folder + 'walls.i8', 'wb') as w, \
            open(folder + 'heat.i8', 'wb') as h:
        for pose in poses:
            walls, heats = look(grid, pose, rng)
            w.write(walls)
            h.write(heats)
    for name, some in ('true', poses), ('drifted', drift(poses)):
        with open(folder + name + '.csv', 'w') as f:
            for i, (x, y, yaw) in enumerate(some):
                f.write(f'{i},{x:.6f},{y:.6f},{yaw:.6f}\n')
    with open(folder + 'plan.pgm', 'wb') as f:
        f.write(b'P5\n%d %d\n255\n' % (WIDTH, HEIGHT))
        for row in reversed(grid):
            f.write(bytes(0 if wall else 254 for wall in row))
    with open(folder + 'plan.yaml', 'w') as f:
        f.write(f'image: plan.pgm\nresolution: {RESOLUTION}\n'
                'origin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\n'
                'free_thresh: 0.196\n')


if __name__ == '__main__':
    main()
