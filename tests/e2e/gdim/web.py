# SPDX-License-Identifier: GPL-2.0-only
"""
web.py - the clients of web.sh: each part prints "ok NAME" or "not ok NAME"

usage: web.py PART PORT [ARGS...]
"""
import http.client, json, os, re, resource, socket, struct, sys, threading, time, zlib

API = '/api/v1/'


def ok(good, name, *more):
    print(('ok ' if good else 'not ok ') + name, flush=True)
    if not good:
        for m in more:
            print('# %.400s' % (m,), flush=True)


class Client:
    def __init__(self, port, host='127.0.0.1'):
        self.c = http.client.HTTPConnection(host, port, timeout=60)
        self.used = time.monotonic()

    def ask(self, path, method='GET', body=None, **headers):
        headers = {k.replace('_', '-'): v for k, v in headers.items()}
        # the server closes connections on which nothing comes
        if time.monotonic() - self.used > 2:
            self.c.close()
        self.used = time.monotonic()
        self.c.request(method, path, body, headers)
        r = self.c.getresponse()
        return r.status, {k.lower(): v for k, v in r.getheaders()}, r.read()

    def json(self, path, status=200, **more):
        s, h, b = self.ask(path, **more)
        if s != status or h['content-type'] != 'application/json':
            raise ValueError('%s: %d %s %s' % (path, s, h, b[:200]))
        return json.loads(b)

    def tell(self, path, what, **headers):
        headers.setdefault('Content_Type', 'application/json')
        s, h, b = self.ask(path, 'POST', what if isinstance(what, bytes) else
                           json.dumps(what), **headers)
        return s, json.loads(b)


def on_socket(path, what):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    f = s.makefile('rw')
    f.write(json.dumps(what) + '\n')
    f.flush()
    answer = json.loads(f.readline())
    s.close()
    answer.pop('ok')
    return answer


def png(data):
    """width, height, depth, rows of samples, palette; filters 0..4"""
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, parts = 8, {}
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        chunk = data[at + 8:at + 8 + n]
        crc, = struct.unpack('>I', data[at + 8 + n:at + 12 + n])
        assert crc == zlib.crc32(kind + chunk)
        parts[kind] = parts.get(kind, b'') + chunk
        at += 12 + n
    w, h, depth = struct.unpack('>IIB', parts[b'IHDR'][:9])
    step = depth // 8 or 1
    raw = zlib.decompress(parts[b'IDAT'])
    stride = (w * depth + 7) // 8
    rows, last = [], bytes(stride)
    for y in range(h):
        kind = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            a = line[i - step] if i >= step else 0
            b, c = last[i], last[i - step] if i >= step else 0
            if kind == 4:
                p = a + b - c
                near = min((abs(p - v), k) for k, v in
                           enumerate((a, b, c)))[1]
                more = (a, b, c)[near]
            else:
                more = (0, a, b, (a + b) // 2)[kind]
            line[i] = line[i] + more & 255
        last = bytes(line)
        if depth == 8:
            rows.append(list(last))
        elif depth == 16:
            rows.append(list(struct.unpack('>%dH' % w, last)))
        else:
            rows.append([last[i * depth // 8] >> 8 - depth - i * depth % 8 &
                         (1 << depth) - 1 for i in range(w)])
    return w, h, rows, parts


def colour_index(value, full=100):
    return 0 if value is None else 1 + (value * 254 + full // 2) // full


def area(c, layer, x0, y0, width, height, cell):
    """values by column and row of the map"""
    v = c.json(API + 'layers/%s/values?x0=%.9g&y0=%.9g&x1=%.9g&y1=%.9g' % (
        layer, x0 * cell, y0 * cell, (x0 + width) * cell,
        (y0 + height) * cell))
    assert (v['width'], v['height']) == (width, height), v
    assert abs(v['x0'] - x0 * cell) < 1e-6 and abs(v['y0'] - y0 * cell) < 1e-6
    return {(x0 + i % width, y0 + i // width): n
            for i, n in enumerate(v['values'])}


def pgm(path):
    yaml = open(path[:-3] + 'yaml').read()
    origin = [float(v) for v in
              re.search(r'origin: \[(.*)\]', yaml).group(1).split(',')]
    cell = float(re.search(r'resolution: (.*)', yaml).group(1))
    data = open(path, 'rb').read()
    head = re.match(rb'P5\s(?:#.*\n)*(\d+) (\d+)\s(?:#.*\n)*255\n', data)
    w, h = int(head.group(1)), int(head.group(2))
    return w, h, cell, origin, data[head.end():]


# ---- parts ----

def answers(port, sock):
    c = Client(port)
    layers = c.json(API + 'layers')
    ok(layers == on_socket(sock, {'do': 'layers'}) and
       len(layers['layers']) > 10, 'layers, as on the socket', layers)
    good = True
    for i in range(60):
        x, y = (i * 374 % 2000 - 999) / 100, (i * 613 % 1400 - 699) / 100
        a = c.json(API + 'spot?x=%g&y=%g' % (x, y))
        good &= a == on_socket(sock, {'do': 'spot', 'x': x, 'y': y})
    ok(good and a['layers'], 'spots, too', a)
    a = c.json(API + 'spot?x=%2D1e0&y=.5')
    ok(a == on_socket(sock, {'do': 'spot', 'x': -1, 'y': .5}) and
       a['layers']['slam_map']['value'] is not None and
       a['gases'], 'one of an encoded number', a)
    ok(c.json(API + 'rooms') == on_socket(sock, {'do': 'rooms'}), 'rooms')
    room = c.json(API + 'rooms/3')
    ok(room == on_socket(sock, {'do': 'room', 'room': 3}) and
       room['name'] == 'kitchen', 'a room', room)
    mine, theirs = c.json(API + 'status'), on_socket(sock, {'do': 'status'})
    for s in mine, theirs:
        s['fused'].pop('busy_ms')
    ok(mine == theirs and mine['submaps'] == 24, 'the status', mine)
    topics = c.json(API + 'topics')
    ok(topics == theirs['out'] and topics['topics'], 'topics', topics)
    one = c.json(API + 'layers/temp_map_fused')
    revision = one.pop('revision')
    ok(one in layers['layers'] and revision > 0 and one['unit'] == '°C' and
       len(one['bounds']) == 4, 'one layer', one)
    a = c.tell(API + 'command', {'do': 'spot', 'x': 1, 'y': 1})
    ok(a == (200, on_socket(sock, {'do': 'spot', 'x': 1, 'y': 1})),
       'a command', a)
    a = c.tell(API + 'rate', {'topic': '/gdim/output/slam_map', 'rate': 7})
    b = {t['name']: t['rate'] for t in c.json(API + 'topics')['topics']}
    ok(a[0] == 200 and a[1]['new_rate'] == 7 and
       b['/gdim/output/slam_map'] == 7, 'a rate is changed', a)
    s, h, b = c.ask('/metrics')
    line = re.compile(r'(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+ -?[0-9.e+]+)$')
    text = b.decode().splitlines()
    ok(s == 200 and all(line.match(t) for t in text) and
       'gdim_submaps 24' in text, 'counters for Prometheus', text)
    help = [t for t in text if t.startswith('# HELP')]
    odd = [t for t in help if not re.search(r'[^.]\.$', t) or
           re.search(r'\b(\w+) \1\b', t)]
    ok(help and not odd, 'the help of each is one sentence', odd)
    s, h, b = c.ask(API + 'layers', 'HEAD')
    ok(s == 200 and not b and int(h['content-length']) > 1000, 'HEAD')
    ok('access-control-allow-origin' not in h and
       h['x-content-type-options'] == 'nosniff', 'pages of others see nothing')


def pictures(port, layer, exported, *zooms):
    c = Client(port)
    w, h, cell, origin, raw = pgm(exported)
    s, head, b = c.ask(API + 'layers/%s.png' % layer)
    pw, ph, rows, parts = png(b)
    flat = [v for row in rows for v in row]
    want = [colour_index(None if v > 100 else v) for v in raw]
    ok(s == 200 and (pw, ph) == (w, h) and flat == want and
       parts[b'tRNS'] == b'\0' and len(parts[b'PLTE']) == 768,
       layer + ': the picture is what gdimctl exports', s, pw, ph, w, h)
    bounds = [float(v) for v in head['x-gdim-bounds'].split()]
    ok(max(abs(a - b) for a, b in zip(bounds, (
        origin[0], origin[1], origin[0] + w * cell,
        origin[1] + h * cell))) < 1e-6, 'and it says where it is', bounds)
    s, head, b = c.ask(API + 'layers/%s.png?scale=2&colours=signal' % layer)
    qw, qh, more, other = png(b)
    ok((qw, qh) == (2 * w, 2 * h) and more[0::2] == more[1::2] and
       [r[::2] for r in more[::2]] == rows and
       other[b'PLTE'] != parts[b'PLTE'], 'enlarged, in other colours')
    x0, y0 = round(origin[0] / cell), round(origin[1] / cell)
    values = area(c, layer, x0, y0, w, min(h, 200), cell)
    rawv = {(x0 + i % w, y0 + h - 1 - i // w): None if v > 100 else v
            for i, v in enumerate(raw)}
    ok(all(rawv[k] == v for k, v in values.items()) and
       any(v is not None for v in values.values()), 'so are its values')
    s, head, b = c.ask(API + 'layers/%s/values.png?x0=%.9g&y0=%.9g&x1=%.9g&'
                       'y1=%.9g' % (layer, bounds[0] - cell, bounds[1],
                                    bounds[2], bounds[1] + 10 * cell))
    vw, vh, rows, parts = png(b)
    ok(parts[b'IHDR'][8:10] == b'\x10\0' and (vw, vh) == (w + 1, 10) and
       all(rows[9 - j][i + 1] == (65535 if values[x0 + i, y0 + j] is None else
                                  values[x0 + i, y0 + j])
           for i in range(w) for j in range(10)) and rows[0][0] == 65535,
       'also with 16 bits')
    most = max(v for v in rawv.values() if v is not None)
    over = sum(v is not None and v > 64 for v in rawv.values())
    s, head, b = c.ask(API + 'layers/%s/peaks?over=64' % layer)
    p = json.loads(b)
    ok(p['maximum']['value'] == most and p['cells'] == over and
       abs(p['area'] - over * cell * cell) < 1e-9 and len(b) < 400,
       'the highest value, and how much is above 64', p)
    at = p['maximum']
    ok(c.json(API + 'spot?x=%.9g&y=%.9g' % (at['x'], at['y']))['layers'][layer]
       ['value'] == most, 'it is where it says', at)
    p = c.json(API + 'layers/%s/peaks' % layer)
    ok(p['maximum'] == at and 'over' not in p and 'cells' not in p,
       'without a threshold', p)
    compare(c, layer, rawv, zooms)
    far = tile(c, layer, 0, 4000000, -4000000)
    ok(not any(map(any, far)), 'a tile of nothing is transparent')


def tiles(port, layer, exported, *zooms):
    w, h, cell, origin, raw = pgm(exported)
    x0, y0 = round(origin[0] / cell), round(origin[1] / cell)
    compare(Client(port), layer, {
        (x0 + i % w, y0 + h - 1 - i // w): None if v > 100 else v
        for i, v in enumerate(raw)}, zooms)


def reduced(values, x, y, factor, how):
    known = [v for v in (values.get((x * factor + i, y * factor + j))
                         for i in range(factor) for j in range(factor))
             if v is not None]
    if not known:
        return None
    return max(known) if how == 'max' else \
        (2 * sum(known) + len(known)) // (2 * len(known))


def tile(c, layer, z, x, y):
    s, h, b = c.ask(API + 'layers/%s/tiles/%d/%d/%d.png' % (layer, z, x, y))
    assert s == 200 and h['content-type'] == 'image/png', (s, b)
    w, h, rows, parts = png(b)
    assert (w, h) == (256, 256)
    return rows


def compare(c, layer, values, zooms):
    """tiles with the values of the map"""
    rule = c.json(API + 'layers/' + layer)['rule']
    how = 'max' if rule in ('max', 'log-odds') else 'mean'
    for z in map(int, zooms):
        good = some = True
        for x, y in ((0, 0), (-1, 0), (0, -1), (-1, -1)):
            rows = tile(c, layer, z, x, y)
            for j in range(256):
                for i in range(256):
                    px, py = x * 256 + i, -(y * 256 + j) - 1
                    v = values.get((px >> z, py >> z)) if z >= 0 else \
                        reduced(values, px, py, 1 << -z, how) \
                        if abs(px) < 2000 >> -z and abs(py) < 2000 >> -z \
                        else None
                    good &= rows[j][i] == colour_index(v)
        ok(good, 'tiles at zoom %d' % z)


def marks(port):
    c = Client(port)
    for path in 'layers/slam_map.png', 'layers/slam_map/tiles/0/0/0.png', \
            'layers/slam_map/values.png?x0=0&y0=0&x1=1&y1=1':
        s, h, b = c.ask(API + path)
        tag = h['etag']
        good = s == 200 and h['cache-control'] == 'no-cache'
        for have in tag, 'W/' + tag, '"x", ' + tag, '*':
            s, h, b = c.ask(API + path, If_None_Match=have)
            good &= s == 304 and not b and h['etag'] == tag
        s, h, b = c.ask(API + path, If_None_Match='"x"')
        ok(good and s == 200 and len(b) > 60, 'not again: ' + path)
    print('# mark ' + tag)


def errors(port):
    c = Client(port)
    big = 'x=' + '1' * 3000
    for path, status, text in (
            ('/', 404, 'no such path'), ('/api', 404, 'no such'),
            ('/api/v2/status', 404, 'no such'), (API, 404, 'no such'),
            ('/etc/passwd', 404, 'no such'), ('/../../etc/passwd', 404, ''),
            (API + '../../../etc/passwd', 404, ''),
            (API + 'status?x=1', 400, "unknown parameter 'x'"),
            (API + 'spot', 400, 'x is missing'),
            (API + 'spot?x=1', 400, 'y is missing'),
            (API + 'spot?x=nan&y=1', 400, 'x must be a number'),
            (API + 'spot?x=1&y=inf', 400, 'y must be a number'),
            (API + 'spot?x=1&y=1e300', 400, 'y must be a number'),
            (API + 'spot?x=1&y=0x', 400, 'y must be a number'),
            (API + 'spot?x=1&y=2&z=3', 400, "unknown parameter 'z'"),
            (API + 'spot?x=1&x=1&y=2', 400, 'x given twice'),
            (API + 'spot?x=%g1&y=2', 400, 'not printable'),
            (API + 'spot?x=1&y=%', 400, 'not printable'),
            (API + 'spot?x=1&y=%4', 400, 'not printable'),
            (API + 'spot?x=1%00&y=2', 400, 'not printable'),
            (API + 'spot?' + big, 400, 'too long'),
            (API + 'spot?' + '&'.join('a%d=1' % i for i in range(20)), 400,
             'too many'),
            (API + 'a/b/c/d/e/f/g/h', 400, 'too many'),
            (API + 'rooms/77', 404, 'no room 77'),
            (API + 'rooms/x', 400, 'a room must be a number'),
            (API + 'rooms/-1', 400, 'a room must be a number'),
            (API + 'rooms/256', 400, 'a room must be a number'),
            (API + 'layers/nope', 404, "no layer 'nope'"),
            (API + 'layers/', 404, 'no layer'),
            (API + 'layers/' + 'n' * 300, 404, 'no layer'),
            (API + 'layers/slam_map/nope', 404, 'no such'),
            (API + 'layers/slam_map.png?scale=0', 400, 'scale must be'),
            (API + 'layers/slam_map.png?scale=65', 400, 'scale must be'),
            (API + 'layers/slam_map.png?colours=mud', 400, 'unknown colours'),
            (API + 'layers/slam_map.png?colors=heat', 400, 'unknown parameter'),
            (API + 'layers/hazard_map.png', 404, 'no known cells'),
            (API + 'layers/slam_map/tiles/7/0/0.png', 400, 'a tile must be'),
            (API + 'layers/slam_map/tiles/-7/0/0.png', 400, 'a tile must be'),
            (API + 'layers/slam_map/tiles/0/0/0', 400, 'a tile must be'),
            (API + 'layers/slam_map/tiles/0/x/0.png', 400, 'a tile must be'),
            (API + 'layers/slam_map/tiles/0/99999999999/0.png', 400,
             'a tile must be'),
            (API + 'layers/slam_map/tiles/0/0/.png', 400, 'a tile must be'),
            (API + 'layers/slam_map/tiles/0/0', 404, 'no such'),
            (API + 'layers/slam_map/values', 400, 'x0 is missing'),
            (API + 'layers/slam_map/values?x0=0&y0=0&x1=0&y1=1', 400,
             'empty area'),
            (API + 'layers/slam_map/values?x0=1&y0=0&x1=0&y1=1', 400,
             'empty area'),
            (API + 'layers/slam_map/values?x0=0&y0=0&x1=999&y1=999', 413,
             'exceeds the limit'),
            (API + 'layers/slam_map/values?x0=-1e6&y0=-1e6&x1=1e6&y1=1e6',
             413, 'exceeds the limit'),
            (API + 'layers/slam_map/peaks?over=hot', 400, 'over'),
            (API + 'layers/slam_map/peaks?under=1', 400, 'unknown parameter'),
            (API + 'layers/nope/peaks', 404, "no layer 'nope'"),
            (API + 'rate', 405, 'POST'), (API + 'command', 405, 'POST')):
        s, h, b = c.ask(path)
        e = json.loads(b)
        ok(s == status and list(e) == ['error'] and text in e['error'] and
           '\n' not in e['error'] and
           h.get('allow') == ('POST' if s == 405 else None),
           'refused: %.60s: %s' % (path, e['error']), s, h, b)
    deep = b'[' * 100000
    for path, what, status, text in (
            ('rate', {}, 400, 'missing argument'),
            ('rate', {'topic': 'x', 'rate': 1}, 404, "no topic 'x'"),
            ('rate', {'topic': 'ä' * 60 + 'x', 'rate': 1}, 404, 'no topic'),
            ('rate', b'{"topic":"\xff\xfe\x01","rate":1}', 404, 'no topic'),
            ('rate', {'topic': '/gdim/output/slam_map', 'rate': 1e9}, 400,
             'rate must be'),
            ('rate', [], 400, 'not a JSON object'),
            ('rate', b'{"topic":1} x', 400, 'not a JSON object'),
            ('command', b'', 400, 'not a JSON object'),
            ('command', {}, 400, 'with "do"'), ('command', deep, 400, 'JSON'),
            ('command', b'{"do":"status"}\0', 400, 'JSON'),
            ('command', {'do': 7}, 400, 'with "do"'),
            ('command', {'do': 'fly'}, 400, "unknown command 'fly'"),
            ('command', {'do': 'import-submaps', 'cells': '/etc/shadow'}, 400,
             'not available over HTTP'),
            ('command', {'do': 'set-poses', 'poses': '/etc/shadow'}, 400,
             'not available over HTTP'),
            ('command', {'do': 'spot', 'x': 1}, 400, 'y is missing'),
            ('command', {'do': 'layer', 'name': 'temp_y', 'role': 'gas'}, 400,
             "layer: unknown key 'role'; known: name words"),
            ('command', {'do': 'snapshot', 'nmae': 'x'}, 400, "key 'nmae'"),
            ('command', {'do': 'snapshot', 'Name': 'x'}, 400, "key 'Name'"),
            ('command', {'do': 'spot', 'x': 1, 'y': 1, 'x y': 1}, 400,
             "key 'x y'"),
            ('command', {'do': 'spot', 'x': 1, 'y': 1, '': 1}, 400, "key ''"),
            ('command', {'do': 'status', '\n' * 90: 1}, 400,
             'it has no keys'),
            ('command', {'do': 'remove', 'layer': 'none'}, 404, 'no layer'),
            ('command', {'do': 'remove', 'room': -1}, 400, 'room must be'),
            ('command', {'do': 'remove', 'layer': 'x', 'room': 1}, 400,
             'not both'),
            ('rate', {'do': 'rate', 'topic': 'slam_map', 'rate': 1}, 400,
             "key 'do'"),
            ('command', b'{' + b' ' * (1 << 20), 413, 'too long'),
            ('status', {}, 405, 'GET'), ('layers/slam_map', {}, 405, 'GET')):
        s, e = Client(port).tell(API + path, what)
        ok(s == status and list(e) == ['error'] and text in e['error'],
           'refused: POST %s %.30s: %.60s' % (path, str(what)[:30].replace(
               '#', '') if not isinstance(what, bytes) else '', e['error']),
           s, e)
    for name, headers, status in (
            ('another type', {'Content_Type': 'text/plain'}, 415),
            ('a form', {'Content_Type':
                        'application/x-www-form-urlencoded'}, 415),
            ('another site', {'Origin': 'http://evil.example'}, 403),
            ('no site', {'Origin': 'null'}, 403),
            ('its own', {'Origin': 'http://127.0.0.1:%d' % port}, 200),
            ('a charset', {'Content_Type': 'application/json; charset=utf-8'},
             200)):
        s, e = c.tell(API + 'command', {'do': 'layers'}, **headers)
        ok(s == status, 'POST of %s: %d' % (name, status), s, e)
    for host, status in (('localhost', 200), ('LOCALHOST:1', 200),
                         ('127.0.0.1', 200), ('[::1]:8460', 200),
                         ('evil.example', 403), ('evil.example:8460', 403),
                         ('localhost.evil.example', 403), ('', 403),
                         ('[::1', 403), ('127.0.0.1.evil', 403),
                         ('h' * 500, 403)):
        s, h, b = c.ask(API + 'layers', Host=host)
        ok(s == status, 'Host %.30s: %d' % (host, status), s, b)
    for method in 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE':
        s, h, b = Client(port).ask(API + 'layers', method)
        ok(s in (405, 501, 400) and 'error' in json.loads(b) and
           h.get('allow') == ('GET, HEAD' if s == 405 else None) and
           'access-control-allow-origin' not in h, method, s, h, b)
    s, h, b = c.ask(API + 'layers', 'OPTIONS', Origin='http://evil.example',
                    Access_Control_Request_Method='POST')
    ok(s == 405 and 'access-control-allow-origin' not in h,
       'no leave for other sites', s, h)


def talk(port, data, wait=20):
    s = socket.create_connection(('127.0.0.1', port), timeout=wait)
    got = b''
    try:
        s.sendall(data)
        while True:
            more = s.recv(65536)
            if not more:
                break
            got += more
            if b'\r\n\r\n' in got and b'Content-Length' in got:
                head, body = got.split(b'\r\n\r\n', 1)
                n = int(re.search(rb'Content-Length: (\d+)', head).group(1))
                if len(body) >= n:
                    break
    except OSError:
        pass
    s.close()
    return got


def hostile(port):
    get = b'GET /api/v1/layers HTTP/1.1\r\n'
    host = b'Host: localhost\r\n'
    end = b'\r\n'
    for name, data, status in (
            ('no HTTP', b'\x16\x03\x01\x00\xff' * 50 + b'\r\n\r\n', b'400'),
            ('a header of 100 kB', get + host + b'X: ' + b'y' * 100000 + end +
             end, b'4'),
            ('1000 headers', get + host + b'X: y\r\n' * 1000 + end, b''),
            ('a header without a name', get + host + b': y\r\n' + end, b''),
            ('a negative length', b'POST /api/v1/command HTTP/1.1\r\n' + host +
             b'Content-Length: -5\r\n\r\n', b'4'),
            ('a length that is none', b'POST /api/v1/command HTTP/1.1\r\n' +
             host + b'Content-Length: 1x\r\n\r\n', b'4'),
            ('a length of 2^64', b'POST /api/v1/command HTTP/1.1\r\n' + host +
             b'Content-Type: application/json\r\nContent-Length: '
             b'18446744073709551616\r\n\r\n', b'4'),
            ('another URL', b'GET http://evil.example/api/v1/layers HTTP/1.1'
             b'\r\nHost: evil.example\r\n\r\n', b''),
            ('HTTP/9.9', b'GET / HTTP/9.9\r\n' + host + end, b''),
            ('no Host', b'GET /api/v1/layers HTTP/1.1\r\n\r\n', b'4'),
            ('an upgrade', get + host + b'Connection: Upgrade\r\n'
             b'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
             b'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n', b'')):
        got = talk(port, data)
        line = got.split(b'\r\n', 1)[0]
        ok(not got or (line.startswith(b'HTTP/1.1 ' + status) and
                       (b'{"error"' in got or b' 200' in line)),
           'noise: ' + name, got)
    chunk = b'POST /api/v1/command HTTP/1.1\r\n' + host + \
        b'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    got = talk(port, chunk + b'd\r\n{"do":"rooms"\r\n1\r\n}\r\n0\r\n\r\n')
    ok(b' 200 ' in got and b'kitchen' in got, 'a body in pieces', got)
    got = talk(port, chunk + b'100000\r\n' + b' ' * 0x100000 + b'\r\n'
               b'100000\r\n' + b' ' * 0x100000 + b'\r\n0\r\n\r\n')
    ok(not got or b' 413 ' in got, 'a long one in pieces', got)
    got = talk(port, chunk + b'zz\r\n{"do":"rooms"}')
    ok(b' 200 ' not in got, 'wrong pieces', got)
    ok(Client(port).json(API + 'rooms')['rooms'] == 1, 'it lives')
    # more who say nothing, or half, than there are threads
    slow = []
    for i in range(120):
        s = socket.create_connection(('127.0.0.1', port))
        s.sendall((get if i % 2 else b'') + b'Ho' * (i % 3))
        slow.append(s)
    ok(Client(port).json(API + 'rooms')['rooms'] == 1,
       'it answers beside 120 who do not finish')
    for s in slow:
        s.close()
    # who asks and does not read
    deaf = []
    for i in range(8):
        s = socket.create_connection(('127.0.0.1', port))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.setblocking(False)
        try:
            for k in range(2000):
                s.send(get + host + end)
        except BlockingIOError:
            pass
        deaf.append(s)
    ok(Client(port).json(API + 'rooms')['rooms'] == 1,
       'and beside those who do not listen')
    for s in deaf:
        s.close()


def is_open(s):
    """nothing came, and the server has not closed it"""
    s.setblocking(False)
    try:
        return s.recv(1, socket.MSG_PEEK) != b''
    except BlockingIOError:
        return True
    except OSError:
        return False


def first_of(s):
    """the begin of the answer; b'': none"""
    s.settimeout(60)
    try:
        return s.recv(400)
    except OSError:
        return b''


def beside_slow(port):
    """300 who are slow, and who is not. Return: what went wrong, or ''"""
    head = b'GET /api/v1/layers HTTP/1.1\r\nHost: localhost\r\n'
    silent, dripping, deaf = [], [], []
    for i in range(300):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(('127.0.0.1', port))
        (silent, dripping, deaf)[i % 3].append(s)
    for s in deaf:
        s.setblocking(False)
        try:
            for k in range(200):
                s.send(head + b'\r\n')
        except BlockingIOError:
            pass
    for k in range(3):
        for s in dripping:
            s.send(head[k:k + 1])
    good = Client(port).json(API + 'rooms')['rooms'] == 1
    left = [sum(is_open(s) for s in group) for group in
            (silent, dripping, deaf)]
    got = []
    try:
        for s in dripping:
            s.setblocking(True)
            s.sendall(head[3:] + b'Connection: close\r\n\r\n')
        got = [b''.join(iter(lambda: s.recv(65536), b'')) for s in dripping]
    except OSError:
        pass
    for s in silent + dripping + deaf:
        s.close()
    if not good or left != [100, 100, 100]:
        return 'closed before the answer: of each 100 %s are left' % left
    return '' if all(g.startswith(b'HTTP/1.1 200') for g in got) and got \
        else 'no answer for who drips: %s' % got[:1]


def crowd(port):
    """who is not slow is answered before one of the others is given up, which
    may happen once where the machine is busy"""
    why = []
    while len(why) < 10 and (not why or why[-1]):
        why.append(beside_slow(port))
    ok(not why[-1], 'beside 300 who are slow: answered before any of them is '
       'closed, and so are they once they have asked', why)
    # more than there can be: the oldest go, and who asks is answered
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    many = [socket.create_connection(('127.0.0.1', port)) for i in range(4400)]
    ok(Client(port).json(API + 'rooms')['rooms'] == 1 and is_open(many[-1]),
       'beside 4400, of which the oldest are given up')
    got = sum(b' 503 ' in first_of(s) for s in many[:280])
    ok(got == 280, 'and answered with a status', got)
    for s in many:
        s.close()
    r = Client(port).ask('/metrics')[2].decode()
    ok(int(re.search(r'gdim_http_dropped_total (\d+)', r).group(1)) >= 280,
       'which are counted', r)


def unread(port):
    """a token is looked at before the body comes"""
    got = talk(port, b'POST /api/v1/command HTTP/1.1\r\nHost: 10.9.0.1\r\n'
               b'Content-Type: application/json\r\n'
               b'Content-Length: 1000000\r\n\r\n')
    ok(got.startswith(b'HTTP/1.1 401 '), 'no token: nothing more is read', got)


def access(port, token):
    unread(port)
    for host in '127.0.0.1', '10.9.0.1':
        c = Client(port, host)
        for name, value in (('none', None), ('a wrong one', 'Bearer ' +
                                             'x' * 20),
                            ('a part', 'Bearer ' + token[:-1]),
                            ('more', 'Bearer ' + token + 'x'),
                            ('nothing', 'Bearer '), ('a long one', 'Bearer ' +
                                                     'x' * 5000),
                            ('Basic', 'Basic ' + token)):
            h = {'Authorization': value} if value else {}
            s, h, b = Client(port, host).ask(API + 'layers', **h)
            ok(s == 401 and h['www-authenticate'] == 'Bearer' and
               'error' in json.loads(b) and b'layers' not in b,
               '%s: a token: %s' % (host, name), s, b)
        for path in '/metrics', '/', API + 'layers/slam_map.png':
            s, h, b = Client(port, host).ask(path)
            ok(s == 401, '%s: %s without one' % (host, path), s, b)
        for t in token, 'a second token with'.replace(' ', '-'):
            a = c.json(API + 'layers', Authorization='Bearer ' + t)
            s, e = c.tell(API + 'command', {'do': 'rooms'},
                          Authorization='bearer ' + t)
            ok(a['layers'] and s == 200, host + ': with one', s, e)
        s, e = c.tell(API + 'command', {'do': 'rooms'},
                      Authorization='Bearer ' + token,
                      Origin='http://evil.example')
        ok(s == 403, host + ': not for pages of others', s, e)


def wait(port, submaps, settle=1.0):
    """until so many submaps are fused and nothing changes any more"""
    last, end = None, time.time() + 120
    while time.time() < end:
        try:
            c = Client(port)
            s = c.json(API + 'status')
            now = (s['submaps'], s['waiting'], s['fused']['drawn'],
                   s['tile_bytes'])
            if now[0] >= submaps and now == last and now[3]:
                return
            last = now
        except OSError:
            pass
        time.sleep(settle)
    sys.exit('not fused in time: %s' % (last,))


def stay(port, pid):
    """clients that are there when the daemon ends"""
    cs = [Client(port) for i in range(8)]
    for c in cs:
        c.json(API + 'layers')
    half = socket.create_connection(('127.0.0.1', port))
    half.sendall(b'POST /api/v1/command HTTP/1.1\r\nHost: localhost\r\n'
                 b'Content-Type: application/json\r\n'
                 b'Content-Length: 100\r\n\r\n{')
    go = True

    def busy():
        while go:
            try:
                Client(port).json(API + 'status')
            except (OSError, ValueError, http.client.HTTPException):
                time.sleep(.01)
    threads = [threading.Thread(target=busy) for i in range(4)]
    for t in threads:
        t.start()
    time.sleep(.5)
    os.kill(int(pid), 15)
    end = time.time() + 60
    while time.time() < end and os.path.exists('/proc/%s/exe' % pid) and \
            open('/proc/%s/stat' % pid).read().rsplit(')', 1)[1][1] != 'Z':
        time.sleep(.05)
    ok(time.time() < end, 'it ends although they are there')
    go = False
    for t in threads:
        t.join()


if __name__ == '__main__':
    part, port = sys.argv[1], int(sys.argv[2])
    globals()[part](port, *[int(a) if a.isdigit() and part == 'wait' else a
                            for a in sys.argv[3:]])
