# SPDX-License-Identifier: GPL-2.0-only
#
# bag.py IN.clf OUT.mcap KIND [FIRST COUNT] - scans and odometry of a CARMEN log
# (ROBOTLASER1) as a recording of ROS 2, with something wrong in it
#
# KIND: plain; nolaser: no /tf_static; latelaser: only in the middle;
# otherlaser: of another frame; types: /scan and /odom the other way around;
# noodom; nan: ranges that are no numbers, infinite, negative, in every third
# scan; backwards: in the middle, stamps go back by 20 s; damaged: every fifth
# message is cut or has bytes of noise; silly: impossible poses and angles
# in between.
import math, random, struct, sys

random.seed(4)
EPOCH = 1700000000

class Cdr:
    def __init__(self):
        self.b = bytearray()
    def put(self, form, *v):
        for x in v:
            n = struct.calcsize(form)
            self.b += bytes(-len(self.b) % n) + struct.pack('<' + form, x)
        return self
    def text(self, s):
        self.put('I', len(s) + 1)
        self.b += s.encode() + b'\0'
        return self
    def header(self, t, frame):
        ns = round(t * 1e9)
        return self.put('i', ns // 10 ** 9).put('I', ns % 10 ** 9).text(frame)
    def data(self):
        return b'\0\1\0\0' + bytes(self.b)

def quaternion(yaw):
    return 0, 0, math.sin(yaw / 2), math.cos(yaw / 2)

def scan(t, start, step, most, ranges):
    c = Cdr().header(t, 'laser')
    c.put('f', start, start + step * (len(ranges) - 1), step, 0, 0, 0, most)
    c.put('I', len(ranges)).put('f', *ranges).put('I', 0)
    return c.data()

def odometry(t, x, y, yaw):
    c = Cdr().header(t, 'odom').text('base_link')
    c.put('d', x, y, 0, *quaternion(yaw), *[0] * 36, *[0] * 6, *[0] * 36)
    return c.data()

def laser(t, frame):
    c = Cdr().put('I', 1).header(t, 'base_link').text(frame)
    return c.put('d', 0, 0, 0, *quaternion(0)).data()

SCAN, ODOM, TF = 1, 2, 3
TYPES = {SCAN: 'sensor_msgs/msg/LaserScan', ODOM: 'nav_msgs/msg/Odometry',
         TF: 'tf2_msgs/msg/TFMessage'}

def record(op, data):
    return struct.pack('<BQ', op, len(data)) + data

def string(s):
    return struct.pack('<I', len(s)) + s.encode()

def message(channel, t, data):
    ns = round(t * 1e9)
    return record(5, struct.pack('<HIQQ', channel, 0, ns, ns) + data)

def damage(data):
    if random.random() < 0.5:
        return data[:random.randrange(len(data))]
    data = bytearray(data)
    for _ in range(40):
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)

def spoil(i, r):
    bad = math.nan, math.inf, -math.inf, -1.0, 0.0, 1e30
    return [bad[(i + k) % 6] if k % 2 else v for k, v in enumerate(r)]

def main(log, out, kind, first=0, count=10 ** 9):
    topics = {SCAN: '/scan', ODOM: '/odom', TF: '/tf_static'}
    if kind == 'types':
        topics[SCAN], topics[ODOM] = '/odom', '/scan'
    f = open(out, 'wb')
    f.write(b'\x89MCAP0\r\n' + record(1, string('ros2') + string('bag.py')))
    for n, name in topics.items():
        if n == ODOM and kind == 'noodom':
            continue
        f.write(record(3, struct.pack('<H', n) + string(TYPES[n]) +
                       string('ros2msg') + struct.pack('<I', 0)))
        f.write(record(4, struct.pack('<HH', n, n) + string(name) +
                       string('cdr') + struct.pack('<I', 0)))
    lines = [l.split() for l in open(log)][first:first + count]
    middle, sent = len(lines) // 2, 0
    for i, v in enumerate(lines):
        start, _, step, most = map(float, v[2:6])
        n = int(v[8])
        ranges = [float(x) for x in v[9:9 + n]]
        x, y, yaw = map(float, v[10 + n:13 + n])
        t = played = EPOCH + float(v[-1])
        if kind == 'backwards' and i >= middle:
            t -= 20
        if kind == 'nan' and not i % 3:
            ranges = spoil(i, ranges)
        messages = []
        at = {'latelaser': middle, 'nolaser': -1}.get(kind, 0)
        if i == at:
            messages.append((TF, laser(t, 'radar' if kind == 'otherlaser'
                                       else 'laser')))
        if kind != 'noodom':
            messages.append((ODOM, odometry(t, x, y, yaw)))
        if kind == 'silly' and i % 2:
            messages.append((ODOM, odometry(t + .01, math.nan, 1e300, yaw)))
            messages.append((SCAN, scan(t + .01, 1e30, math.nan, -1, ranges)))
            messages.append((SCAN, scan(t + .02, start, step, most, [])))
            messages.append((TF, laser(t, '')))
        messages.append((SCAN, scan(t, start, step, most, ranges)))
        for channel, data in messages:
            sent += 1
            if kind == 'damaged' and channel != TF and not sent % 5:
                data = damage(data)
            f.write(message(channel, played, data))
    f.write(record(15, bytes(4)) + record(2, bytes(20)) + b'\x89MCAP0\r\n')

main(*sys.argv[1:4], *map(int, sys.argv[4:]))
