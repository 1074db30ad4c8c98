# SPDX-License-Identifier: GPL-2.0-only
"""
publish.py - clients that publish, for publish.sh

usage: publish.py PART PORT HTTP-PORT [FILE]

Prints "ok NAME" and "not ok NAME". FILE gets a line for each message sent:
TIME VALUE CRC, and "held FROM TO" for the time in which the connection stalled.
"""
import os, queue, socket, struct, sys, threading, time, zlib
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from client import Client, WS, SDK, metrics, ok, until

TWIST = 'geometry_msgs/msg/Twist'


def advertise(c, channel=1, topic='/cmd_vel', encoding='cdr', schema=TWIST):
    c.send({'op': 'advertise', 'channels': [
        {'id': channel, 'topic': topic, 'encoding': encoding,
         'schemaName': schema}]})


def doubles(x):
    return struct.pack('<6d', x, 0, 0, 0, 0, x / 2)


def drive(c, x, out=None, channel=1, cdr=True):
    """a command; x is unlike all others"""
    if out:
        out.write('%.6f %g %08x\n' % (time.time(), x, zlib.crc32(doubles(x))))
        out.flush()
    c.send(b'\x01' + struct.pack('<I', channel) +
           (b'\0\x01\0\0' if cdr else b'') + doubles(x))


def off(port, http):
    for protocol in WS, SDK:
        c = Client(port, protocol)
        until('serverInfo', lambda: c.op('serverInfo'))
        ok('clientPublish' not in c.op('serverInfo')[0]['capabilities'],
           protocol + ': publishing is not offered', c.op('serverInfo'))
        advertise(c)
        s = c.status('/cmd_vel: this topic is not in allow-publish')
        ok(s['level'] == 2, 'nor possible: ' + s['message'], s)
        drive(c, 1)
        c.status('a channel that is not advertised')
        ok(metrics(http)['published_total'] == 0, 'and nothing is published')
        c.close()


def allowed(port, http, file):
    """commands as fast as an operator's, of both encodings, until enough came"""
    out, x = open(file, 'w'), 0
    c = Client(port)
    until('serverInfo', lambda: c.op('serverInfo'))
    ok('clientPublish' in c.op('serverInfo')[0]['capabilities'],
       'publishing is offered', c.op('serverInfo'))
    for encoding in 'cdr', 'ros1':
        begin = metrics(http)['published_total']
        channel = 1 if encoding == 'cdr' else 2
        advertise(c, channel, encoding=encoding,
                  schema=TWIST if channel == 1 else 'geometry_msgs/Twist')
        while metrics(http)['published_total'] < begin + 20:
            x += 1
            drive(c, x, out, channel, encoding == 'cdr')
            time.sleep(.05)
        ok(True, '%s: 20 commands are published' % encoding)
    # silence: the robot is stopped; then others, and a stop of the client
    stops = metrics(http)['deadman_total']
    until('a stop', lambda: metrics(http)['deadman_total'] > stops)
    out.write('silence\n')
    begin = metrics(http)['published_total']
    while metrics(http)['published_total'] < begin + 5:
        x += 1
        drive(c, x, out)
        time.sleep(.05)
    before = metrics(http)['published_total']
    while metrics(http)['published_total'] <= before:
        drive(c, 0)
        time.sleep(.05)
    out.write('stop\n')
    out.close()
    c.close()


def refused(port, http):
    c = Client(port)
    before = metrics(http)
    for channel, topic, encoding, schema, why in (
            (3, '/cmd_vel_other', 'cdr', TWIST, 'not in allow-publish'),
            (3, '/cmd_vel/', 'cdr', TWIST, 'not in allow-publish'),
            (3, '', 'cdr', TWIST, 'not in allow-publish'),
            (3, '/cmd_vel', 'cdr', 'std_msgs/msg/Nothing', 'unknown type'),
            (3, '/cmd_vel', 'protobuf', TWIST, 'must be cdr or ros1'),
            ('three', '/cmd_vel', 'cdr', TWIST, 'needs id'),
            (-3, '/cmd_vel', 'cdr', TWIST, 'needs id')):
        del c.texts[:]
        advertise(c, channel, topic, encoding, schema)
        s = c.status(why)
        ok(s['level'] == 2, s['message'], s)
    advertise(c, 4)
    advertise(c, 4)
    c.status('advertised already')
    ok(True, 'a channel twice: status')
    for k in range(20):
        advertise(c, 100 + k)
    c.status('too many channels')
    ok(True, 'too many channels: status')
    drive(c, 1, channel=3)
    c.status('not advertised')
    ok(True, 'a message on a channel that was refused: status')
    ok(metrics(http)['published_total'] == before['published_total'],
       'nothing of it is published')
    for data in b'', b'\0', b'\0\x01\0\0', b'\0\x01\0\0' + bytes(40):
        n = metrics(http)['refused_commands_total']
        c.send(b'\x01' + struct.pack('<I', 4) + data)
        until('a refusal', lambda: metrics(http)['refused_commands_total'] > n)
        ok(True, 'a damaged message, of %d bytes, is refused and counted' %
           len(data))
    c.send({'op': 'unadvertise', 'channelIds': [4, 77, 'x']})
    del c.texts[:]
    drive(c, 1, channel=4)
    c.status('not advertised')
    ok(True, 'after unadvertise: status')
    ok(metrics(http)['published_total'] == before['published_total'] and
       not c.closed, 'nothing of it is published', c.closed)
    c.close()


def seven(port, http):
    c = Client(port)
    advertise(c)
    while not c.closed:
        drive(c, 7)
        time.sleep(.05)


class Relay:
    """to the port, with a time in which nothing passes: up, down or both; or up
    comes late"""

    def __init__(self, port, late=0):
        self.late = {'up': late, 'down': 0}
        self.listener = socket.socket()
        self.listener.bind(('127.0.0.1', 0))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        self.open = {'up': threading.Event(), 'down': threading.Event()}
        for e in self.open.values():
            e.set()
        threading.Thread(target=self.accept, args=(port,), daemon=True).start()

    def accept(self, port):
        while True:
            a = self.listener.accept()[0]
            b = socket.create_connection(('127.0.0.1', port))
            for way, x, y in ('up', a, b), ('down', b, a):
                came = queue.Queue()
                threading.Thread(target=self.read, args=(x, came),
                                 daemon=True).start()
                threading.Thread(target=self.write, args=(way, came, x, y),
                                 daemon=True).start()

    @staticmethod
    def read(x, came):
        data = b'-'
        while data:
            try:
                data = x.recv(4096)
            except OSError:
                data = b''
            came.put((time.monotonic(), data))

    def write(self, way, came, x, y):
        try:
            while True:
                then, data = came.get()
                time.sleep(max(0, then + self.late[way] - time.monotonic()))
                self.open[way].wait()
                if not data:
                    break
                y.sendall(data)
        except OSError:
            pass
        for s in x, y:
            s.close()


def stall(port, http, ways, file):
    """commands all the time, through a connection that holds them for 2 s"""
    out = open(file, 'w')
    relay = Relay(port)
    c = Client(relay.port, host='127.0.0.1:%d' % port)
    advertise(c)
    x = 0

    def commands(until_true):
        nonlocal x
        end = time.monotonic() + 120
        while not until_true():
            if time.monotonic() > end:
                sys.exit('never: commands are not published: %s' % metrics(http))
            x += 1
            drive(c, x, out)
            time.sleep(.05)

    n = metrics(http)['published_total']
    commands(lambda: metrics(http)['published_total'] > n + 10)
    ok(True, 'commands arrive')
    stops, gone = metrics(http)['deadman_total'], \
        metrics(http)['refused_commands_total']
    begin = time.time()
    for way in ways.split('+'):
        relay.open[way].clear()
    commands(lambda: time.time() > begin + 2 and
             metrics(http)['deadman_total'] > stops)
    ok(True, 'the connection stalls (%s): the robot is stopped' % ways)
    released, n = time.time(), metrics(http)['published_total']
    for e in relay.open.values():
        e.set()
    out.write('held %.6f %.6f\n' % (begin, released))
    commands(lambda: metrics(http)['refused_commands_total'] > gone and
             metrics(http)['published_total'] > n + 10)
    ok(True, 'what waited is refused, then commands arrive again')
    s = c.status('may be older than 300 ms')
    ok(s['level'] == 2, 'it is said: ' + s['message'], s)
    # the end of the recording is not that of the commands
    while metrics(http)['published_total'] == n:
        time.sleep(.05)
    out.close()
    c.close()


def late(port, http, wanted=0):
    """a way up of 0.4 s, and none back: no part of a round trip is taken off"""
    c = Client(Relay(port, .4).port, host='127.0.0.1:%d' % port)
    advertise(c)
    with open('/dev/null', 'w') as out:
        n, refused = metrics(http)['published_total'], \
            metrics(http)['refused_commands_total']
        m, x = metrics(http), 0
        while m['published_total'] + m['refused_commands_total'] < \
                n + refused + 20:
            x += 1
            drive(c, x, out)
            time.sleep(.05)
            m = metrics(http)
        came = m['published_total'] - n
        ok(came >= int(wanted) if wanted else not came,
           'of 20 commands that take 0.4 s %d are published' % came, m)
    c.close()


if __name__ == '__main__':
    part, ports = sys.argv[1], [int(a) for a in sys.argv[2:4]]
    globals()[part](*ports, *sys.argv[4:])
