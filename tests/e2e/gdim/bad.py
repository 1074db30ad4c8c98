# SPDX-License-Identifier: GPL-2.0-only
"""bad.py - invalid input for gdimd, one message at a time, and its errors

usage: bad.py PART SOCKET STORE LOG ARGS...

Each is rejected with one line, counted once, and changes nothing; a valid one
after it is accepted. gdim-bad, which is ARGS[0], sends over ROS 2. Prints
lines of "ok NAME" and "not ok NAME".
"""
import hashlib
import http.client
import json
import re
import socket
import sqlite3
import subprocess
import sys
import time

PATIENCE = 120      # s, for what should take none


def ok(good, name, *why):
    print(('ok ' if good else 'not ok ') + name, flush=True)
    for w in () if good else why:
        print('#', str(w)[:600].replace('\n', '\n# '), flush=True)


def until(what):
    end = time.time() + PATIENCE
    while True:
        got = what()
        if got or time.time() > end:
            return got
        time.sleep(.01)


class Daemon:
    def __init__(self, path, store, log):
        self.path, self.store, self.log = path, store, log

    def line(self, data, end=b'\n'):
        """what it answers to bytes, and whether it has hung up"""
        s = socket.socket(socket.AF_UNIX)
        s.connect(self.path)
        s.settimeout(PATIENCE)
        got = b''
        try:
            s.sendall(data + end)
        except OSError:
            pass
        try:
            while not got.endswith(b'\n'):
                more = s.recv(65536)
                if not more:
                    break
                got += more
        except OSError:
            pass
        s.close()
        return got

    def ask(self, do, **p):
        return json.loads(self.line(json.dumps(dict(p, do=do)).encode()))

    def status(self):
        return self.ask('status')

    def dump(self):
        """all that is stored"""
        db = sqlite3.connect('file:%s?mode=ro' % self.store, uri=True)
        h = hashlib.sha256()
        names = [n for n, in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' "
            "AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'extent%' "
            "AND name <> 'journal' ORDER BY name")]
        for n in names:
            h.update(n.encode())
            for row in db.execute('SELECT * FROM "%s"' % n):
                h.update(repr(row).encode())
        db.close()
        return h.hexdigest()

    def logged(self):
        """lines about refused messages, and how many messages they are of"""
        lines = [s for s in open(self.log, errors='replace')
                 if '/gdim/' in s or 'keyframe: ' in s]
        return len(lines), sum(
            1 + int((re.search(r' \(and (\d+) before\)$', s.rstrip()) or
                     [0, 0])[1]) for s in lines)


class Sender:
    def __init__(self, program):
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)

    def say(self, line):
        self.p.stdin.write(line + '\n')
        self.p.stdin.flush()
        return self.p.stdout.readline().rstrip('\n')

    def end(self):
        self.p.stdin.close()
        self.p.wait()


def counts(s):
    return [s[k] for k in ('nodes', 'placed', 'submaps', 'waiting')] + [
        s['in']['transforms_stored']]


def good(d, out):
    """a good submap is taken"""
    before = d.status()
    if out.say('slam_submap good') != 'sent':
        return False
    until(lambda: d.status()['in']['submaps_stored'] >
          before['in']['submaps_stored'])
    s = d.status()
    return s['in']['submaps_stored'] == before['in']['submaps_stored'] + 1 \
        and s['in']['refused'] == before['in']['refused'] and \
        counts(s) == counts(before)


def refused(d, out, topic, what, text, messages=1, after=good):
    before, stored = d.status(), d.dump()
    sent = out.say('%s %s' % (topic, what))
    until(lambda: d.status()['in']['refused'] > before['in']['refused'])
    s = d.status()
    error = s['in'].get('last_error', '')
    right = sent == 'sent' and \
        s['in']['refused'] == before['in']['refused'] + 1 and \
        s['in']['messages'] == before['in']['messages'] + messages and \
        error.startswith(('/gdim/input/%s: ' % topic, 'keyframe: ')) and \
        text in error and '\n' not in error
    same = counts(s) == counts(before) and d.dump() == stored
    again = after(d, out)
    ok(right and same and again, '%s %s: %.100s' % (topic, what, error), sent,
       before['in'], s['in'], 'the store is %sas it was' %
       ('' if same else 'not '), 'a good one is %staken' %
       ('' if again else 'not '))


MAP = (
    ('frame-empty', 'invalid frame_id'), ('frame-long', 'invalid frame_id'),
    ('frame-line', 'invalid frame_id'), ('frame-latin1', 'invalid frame_id'),
    ('stamp-past', 'before 1970'), ('stamp-future', 'in the future'),
    ('width-0', 'empty map: 0 x 20'), ('height-0', 'empty map: 20 x 0'),
    ('size-0', 'empty map: 0 x 0'), ('size-minus', 'at most'),
    ('size-max', 'at most'), ('says-huge', '10000 x 10000 cells: at most'),
    ('few', '399 cells do'), ('many', '401 cells do'),
    ('none', '0 cells do'), ('cell-nan', 'cell size: nan'),
    ('cell-0', 'cell size: 0'), ('cell-minus', 'cell size: -0.05'),
    ('cell-inf', 'cell size: inf'), ('cell-big', 'cell size: 1e+09'),
    ('x-nan', 'origin: nan'), ('x-inf', 'origin: inf'),
    ('x-far', 'origin: 1e+07'), ('y-nan', 'invalid origin'),
    ('z-nan', 'invalid origin'), ('turn-nan', 'nan rad'),
    ('turn-long', 'nan rad'), ('cells-101', '1 cells are neither'),
    ('cells-minus', '2 cells are neither'), ('cut', 'malformed'),
    ('nothing', 'malformed'), ('other-end', 'malformed'), ('string', 'malformed'))
GRID = tuple(c for c in MAP if c[0].startswith(('frame', 'stamp', 'cell-',
                                                'x-', 'y-', 'z-', 'turn'))) + (
    ('frame-map', 'is the map frame'),
    ('layers-few', 'layers differ in size'), ('layers-many', 'layers differ in size'),
    ('layers-none', 'layers differ in size'), ('arrays-none', 'layers differ in size'),
    ('layer-empty', 'invalid layer name'),
    ('layer-long', 'invalid layer name'),
    ('layer-latin1', 'invalid layer name'),
    ('layer-words', 'invalid layer name'), ('layer-full', 'name too long'),
    ('layer-twice', 'layer a occurs twice'), ('dims-1', 'layers differ in size'),
    ('dims-label', 'layers differ in size'), ('few', 'layers differ in size'),
    ('mismatch', 'layers differ in size'), ('says-huge', 'layers differ in size'),
    ('start-far', 'layers differ in size'), ('cut', 'malformed'))
OTHERS = (
    ('hazard_map', 'frame-odom', 'frame odom, expected map'),
    ('hazard_map', 'frame-empty', 'invalid frame_id'),
    ('hazard_map', 'huge', '10000 x 10000 cells: at most'),
    ('submap_transform', 'x-nan', 'invalid transform: nan'),
    ('submap_transform', 'x-inf', 'invalid transform: inf'),
    ('submap_transform', 'x-far', 'invalid transform: 1e+07'),
    ('submap_transform', 'z-nan', 'invalid transform: nan'),
    ('submap_transform', 'turn-nan', 'nan rad'),
    ('submap_transform', 'turn-long', 'nan rad'),
    ('submap_transform', 'second-nan', 'frame submap_1: invalid transform: nan'),
    ('submap_transform', 'parent-empty', 'with an invalid frame_id'),
    ('submap_transform', 'parent-latin1', 'with an invalid frame_id'),
    ('submap_transform', 'child-empty', 'with an invalid frame_id'),
    ('submap_transform', 'child-long', 'with an invalid frame_id'),
    ('submap_transform', 'child-map', 'as child frame'),
    ('submap_transform', 'itself', 'form a loop'),
    ('submap_transform', 'circle', 'form a loop'),
    ('submap_transform', 'stamp-past', 'before 1970'),
    ('submap_transform', 'stamp-future', 'in the future'),
    ('submap_transform', 'cut', 'malformed'),
    ('room_information', 'frame-odom', 'frame odom, expected map'),
    ('room_information', 'frame-empty', 'invalid frame_id'),
    ('room_information', 'stamp-future', 'in the future'),
    ('room_information', 'x-nan', 'room 7: invalid position'),
    ('room_information', 'y-nan', 'room 7: invalid position'),
    ('room_information', 'size-nan', 'room 7: invalid position'),
    ('room_information', 'size-minus', 'room 7: invalid position'),
    ('room_information', 'size-inf', 'room 7: invalid position'),
    ('room_information', 'name-long', 'room 7: name is not UTF-8'),
    ('room_information', 'name-latin1', 'room 7: name is not UTF-8'),
    ('room_information', 'name-line', 'room 7: name is not UTF-8'),
    ('room_information', 'point-nan', 'room 7: corner position'),
    ('room_information', 'points-many', 'room 7: too many corners: 65'),
    ('room_information', 'hot', 'room 7: averages'),
    ('room_information', 'gas-inf', 'room 7: averages'),
    ('room_information', 'gases-many', 'room 7: averages'),
    ('room_information', 'smoke-101', 'room 7: averages'),
    ('room_information', 'hazard-minus', 'room 7: averages'),
    ('room_information', 'cut', 'malformed'),
    ('repeater_map', 'frame-odom', 'frame odom, expected map'),
    ('repeater_map', 'stamp-future', 'in the future'),
    ('repeater_map', 'point-nan', 'repeater position'),
    ('repeater_map', 'points-many', 'too many repeaters: 5000'),
    ('repeater_map', 'cut', 'malformed'),
    ('rooms', 'nothing', 'malformed'),
    ('thermal_image', 'few', 'image of 11 bytes does'),
    ('thermal_image', 'width-0', 'size of 0 x 2'),
    ('thermal_image', 'size-max', 'does not match its size'),
    ('thermal_image', 'stamp-future', 'in the future'),
    ('thermal_image', 'cut', 'malformed'))


def topics(d, program):
    out = Sender(program)
    ok(out.say('submap_transform good') == 'sent' and
       out.say('slam_submap good') == 'sent' and
       until(lambda: counts(d.status()) == [1, 1, 1, 0, 1]),
       'a submap has a place', d.status())
    for what, text in MAP + (
            ('frame-map', 'is the map frame'),
            ('stamp-old', 'stored submap of slam_map is newer')):
        refused(d, out, 'slam_submap', what, text)
    for what, text in GRID:
        refused(d, out, 'gas_A_submap_1', what, text)
    layers = [v['name'] for v in d.ask('layers')['layers']]
    ok(not [n for n in layers if n.startswith('gas_')],
       'no layer was made', layers)
    for case in OTHERS:
        refused(d, out, *case)
    refused(d, out, 'foo_submap', 'good', 'no layer uses this topic', 0)
    refused(d, out, 'gas_B_submap_1', 'as-grid',
            'not of type grid_map_msgs/GridMap', 0)
    before = d.status()
    ok(out.say('submap_transform unknown') == 'sent' and until(
        lambda: d.status()['nodes'] == before['nodes'] + 2 and
        d.status()['in']['transforms_stored'] >
        before['in']['transforms_stored']) and
       d.status()['placed'] == before['placed'] and good(d, out),
       'what is seen from an unknown frame has no place', d.status())
    ok(out.say('gas_A_submap_1 good') == 'sent' and until(
        lambda: d.status()['submaps'] == before['submaps'] + 2) and
       d.status()['in']['refused'] == before['in']['refused'],
       'a good grid map is two layers', d.status())
    out.end()


def renamed(d, program):
    """the map's frame is world: that of others is called map"""
    out = Sender(program)
    for topic, what, text in (
            ('slam_submap', 'frame-map', 'is the map frame'),
            ('submap_transform', 'good', 'the map frame is world'),
            ('submap_transform', 'child-map', 'as child frame'),
            ('hazard_map', 'good', 'frame map, expected world'),
            ('room_information', 'good', 'frame map, expected world'),
            ('repeater_map', 'good', 'frame map, expected world')):
        refused(d, out, topic, what, text, after=lambda d, out: True)
    s = d.status()
    ok(counts(s) == [0, 0, 0, 0, 0], 'nothing of it was stored', s)
    out.end()


def flood(d, program):
    out = Sender(program)
    ok(good(d, out), 'a good submap')
    before, lines, begin = d.status(), d.logged()[0], time.time()
    stored = d.dump()
    for i in range(200):
        # the reader has a queue of ten, and who does not wait loses some
        want = before['in']['refused'] + 5 * (i + 1)
        if out.say('slam_submap few 5') != 'sent' or not until(
                lambda: d.status()['in']['refused'] >= want):
            break
    s = d.status()
    ok(s['in']['refused'] == before['in']['refused'] + 1000 and
       d.dump() == stored, '1000 that are wrong are counted', s['in'])
    more = d.logged()[0] - lines
    ok(more <= time.time() - begin + 2, 'in few lines: one a second at most',
       more)
    time.sleep(1.1)
    refused(d, out, 'slam_submap', 'few', '399 cells')
    ok(until(lambda: d.logged()[1] == d.status()['in']['refused']),
       'each one is in exactly one line', d.logged(), d.status()['in'])
    out.end()


def services(d, program):
    out = Sender(program)
    stored = d.dump()
    for service, what, text in (
            ('room_information', '77', 'no room 77'),
            ('room_information', '-1', 'no room 255'),
            ('spot_information', 'nan', 'position out of range'),
            ('spot_information', 'inf', 'position out of range'),
            ('spot_information', '1e30', 'position out of range'),
            ('pub_rate', 'topic', 'no such topic'),
            ('pub_rate', 'nan', 'rate must be'),
            ('pub_rate', '-1', 'rate must be'),
            ('pub_rate', '1e9', 'rate must be'),
            ('snapshot', '../../etc/x', 'letters'),
            ('snapshot', 'x' * 200, 'letters'),
            ('logging', 'nan', 'log rate must be'),
            ('logging', '1e9', 'log rate must be'),
            ('logging', '-1', 'log rate must be')):
        before = d.status()
        said = out.say('call %s %s' % (service, what))
        s = d.status()
        ok(said.startswith('no ') and text in said and
           s['refused']['services'] == before['refused']['services'] + 1 and
           s['in']['refused'] == before['in']['refused'] and
           d.dump() == stored, '%s %.20s: %s' % (service, what, said),
           s['refused'])
    ok(out.say('call spot_information 0.05').startswith('yes') and good(d, out),
       'a good one')
    before = d.status()
    said = out.say('call spot_information 12345')
    ok(said == 'no all layers are unknown at this position' and
       d.status()['refused'] == before['refused'],
       'a place of which nothing is known: no success, and no refusal', said)
    out.end()


def damaged(d, noise):
    """invalid requests have no client: they are in the log"""
    before = d.status()
    p = subprocess.run([noise, 'noise', '0'], timeout=600)
    until(lambda: d.status()['in']['refused'] > before['in']['refused'] + 100)
    s = d.status()
    ok(not p.returncode and s['in']['refused'] > before['in']['refused'] + 100
       and '/gdim/output/' in s['in']['last_error'] and
       'malformed' in s['in']['last_error'] and counts(s) == counts(before),
       'requests that are none: %d' %
       (s['in']['refused'] - before['in']['refused']), s['in'])


def commands(d):
    stored = d.dump()
    for line, text in (
            (b'', 'not a JSON object'), (b'x', 'not a JSON object'),
            (b'{}', 'with "do"'), (b'[]', 'with "do"'),
            (b'{"do":7}', 'with "do"'), (b'{"do":"status"', 'not a JSON'),
            (b'{"do":"status"} x', 'not a JSON'),
            (b'{"do":"status"}\0', 'not a JSON'),
            (b'\xff\xfe{"do":"status"}', 'not a JSON'),
            (b'[' * 5000, 'not a JSON'),
            (b'{"do":"fly"}', "unknown command 'fly'"),
            (b'{"do":"room","room":77}', 'no room 77'),
            (b'{"do":"room","room":-1}', 'must be a number'),
            (b'{"do":"room","room":1e300}', 'must be a number'),
            (b'{"do":"spot","x":"nan","y":0}', 'must be a number'),
            (b'{"do":"spot","x":1}', 'y is missing'),
            (b'{"do":"rate","topic":"foo","rate":1}', "no topic 'foo'"),
            (b'{"do":"rate","topic":"slam_map","rate":1e9}', 'must be a'),
            (b'{"do":"layer","name":"a b"}', 'is not a layer name'),
            (b'{"do":"layer","name":"slam_map","words":"bits=9"}', 'neither'),
            (b'{"do":"layer","name":"slam_map","words":"bits=16"}', ''),
            (b'{"do":"layer","name":"n","words":"range=1:nan"}', 'range='),
            (b'{"do":"snapshot","name":"../x"}', 'letters'),
            (b'{"do":"log","rate":1e9}', 'must be a number'),
            (b'{"do":"set-poses","poses":"/none"}', 'No such file'),
            (b'{"do":"import-submaps","cells":"/none"}', ''),
            (b'{"do":"x","y":"' + b'z' * 70000 + b'"}', 'too long')):
        before = d.status()
        got = d.line(line)
        s = d.status()
        try:
            a = json.loads(got)
        except ValueError:
            a = {}
        ok(got.count(b'\n') == 1 and a.get('ok') is False and
           text in a.get('error', '') and '\n' not in a['error'] and
           s['refused']['socket'] == before['refused']['socket'] + 1 and
           s['in'] == before['in'] and d.dump() == stored,
           'socket: %.40s: %.70s' % (line.decode('latin1').replace(
               '\0', '.').replace('#', ''), a.get('error')), got)
    idle = [socket.socket(socket.AF_UNIX) for i in range(20)]
    for s in idle:
        s.connect(d.path)
        try:
            s.sendall(b'{"do":')
        except OSError:
            pass            # one too many, too
    got = d.line(b'{"do":"status"}')
    ok(b'too many' in got, 'socket: one too many', got)
    for s in idle:
        s.close()
    ok(until(lambda: b'"ok":true' in d.line(b'{"do":"status"}')),
       'socket: others went')


def ask_http(method, path, body=None, **headers):
    c = http.client.HTTPConnection('127.0.0.1', 8460, timeout=PATIENCE)
    c.request(method, path, body,
              {k.replace('_', '-'): v for k, v in headers.items()})
    r = c.getresponse()
    got = r.status, r.read()
    c.close()
    return got


def web(d):
    api, as_json = '/api/v1/', {'Content_Type': 'application/json'}
    stored = d.dump()
    for method, path, body, headers, status, text in (
            ('GET', 'spot?x=nan&y=1', None, {}, 400, 'must be a number'),
            ('GET', 'spot?x=1e300&y=1', None, {}, 400, 'must be a number'),
            ('GET', 'spot?x=%zz&y=1', None, {}, 400, 'not printable'),
            ('GET', 'rooms/77', None, {}, 404, 'no room 77'),
            ('GET', 'layers/nope', None, {}, 404, 'no layer'),
            ('GET', 'layers/..%2f..%2fetc%2fpasswd', None, {}, 404,
             'no layer'),
            ('GET', '../../../etc/passwd', None, {}, 404, 'no such path'),
            ('PUT', 'layers', b'{}', as_json, 405, 'GET, HEAD'),
            ('POST', 'status', b'{}', as_json, 405, 'GET'),
            ('GET', 'command', None, {}, 405, 'POST'),
            ('POST', 'command', b'[' * 9999, as_json, 400, 'JSON'),
            ('POST', 'command', b'{"do":"fly"}', as_json, 400,
             "unknown command 'fly'"),
            ('POST', 'command', b'{"do":"import-submaps"}', as_json, 400,
             'not available over HTTP'),
            ('POST', 'command', b'{"do":"layers"}', {'Content_Type': 'x'},
             415, 'Content-Type'),
            ('POST', 'command', b' ' * (1 << 20) + b' ', as_json, 413,
             'too long'),
            ('POST', 'rate', b'{"topic":"foo","rate":1}', as_json, 404,
             'no topic'),
            ('GET', 'layers', None, {'Host': 'evil.example'}, 403,
             'wrong Host header')):
        before = d.status()
        got, data = ask_http(method, api + path, body, **headers)
        s = d.status()
        try:
            e = json.loads(data)
        except ValueError:
            e = {'error': ''}
        ok(got == status and list(e) == ['error'] and text in e['error'] and
           s['refused']['http'] == before['refused']['http'] + 1 and
           s['in'] == before['in'] and d.dump() == stored,
           'HTTP: %s %.30s: %d %.60s' % (method, path.replace('#', ''), got,
                                        e['error']), data)
    half = []
    for data in (b'GET /api/v1/status HT', b'GET /api/v1/status HTTP/1.1\r\n',
                 b'POST /api/v1/command HTTP/1.1\r\nHost: localhost\r\n'
                 b'Content-Type: application/json\r\nContent-Length: 99\r\n'
                 b'\r\n{"do":'):
        for i in range(8):
            s = socket.create_connection(('127.0.0.1', 8460))
            s.sendall(data)
            half.append(s)
    ok(ask_http('GET', api + 'status')[0] == 200,
       'HTTP: it answers beside those who do not go on')
    for s in half:
        s.close()
    ok(d.dump() == stored, 'HTTP: nothing was stored')


def tokens(d, token):
    right = {'Authorization': 'Bearer ' + token}
    until(lambda: d.status()['ok'])
    for name, h in (('no', {}), ('a wrong', {'Authorization': 'Bearer ' +
                                             'x' * 30}),
                    ('half a', {'Authorization': 'Bearer ' + token[:9]}),
                    ('a long', {'Authorization': 'Bearer ' + 'x' * 4000})):
        before = d.status()
        s, data = ask_http('GET', '/api/v1/layers', **h)
        ok(s == 401 and b'wrong token' in data and
           d.status()['refused']['http'] == before['refused']['http'] + 1,
           'HTTP: %s token: %d' % (name, s), data)
    ok(ask_http('GET', '/api/v1/layers', **right)[0] == 200,
       'HTTP: the right token')


if __name__ == '__main__':
    globals()[sys.argv[1]](Daemon(*sys.argv[2:5]), *sys.argv[5:])
