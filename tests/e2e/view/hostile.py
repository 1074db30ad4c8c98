# SPDX-License-Identifier: GPL-2.0-only
"""
hostile.py - clients that break the rules, for clients.sh

usage: hostile.py PART PORT HTTP-PORT [ARGUMENT...]

Prints "ok NAME" and "not ok NAME".
"""
import os, random, resource, socket, struct, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from client import (BINARY, CLOSE, PATIENCE, PING, SDK, TEXT, WS, Client,
                    Refused, frame, handshake, head_of, metrics, ok, until)

PAGE = 'optsample.view.v1'


def clients(http):
    return int(metrics(http)['clients'])


def settle(http, there):
    """until no more are connected than before: a stuck one may be closed"""
    until('the end of all', lambda: clients(http) <= there,
          lambda: metrics(http))


def connect(port):
    s = socket.create_connection(('127.0.0.1', port))
    s.settimeout(PATIENCE)
    return s


def upgrade(port, **more):
    """status of the answer to a handshake, and the socket"""
    s = connect(port)
    s.sendall(handshake(port, **more))
    status, head = head_of(s)
    return status, s


def rest(s):
    """all until the server closes"""
    data = b''
    try:
        while True:
            part = s.recv(65536)
            if not part:
                return data
            data += part
    except OSError:
        return data


def handshakes(port, http):
    """what is refused, with a status, counted and said"""
    many = [
        ('no sub-protocol', 400, dict(protocol=None)),
        ('a wrong Host', 403, dict(host='evil.example:%d' % port)),
        ('a Host that begins like ours', 403,
         dict(host='localhost.evil.example')),
        ('a wrong Origin', 403, dict(origin='http://evil.example')),
        ('an Origin that begins like ours', 403,
         dict(origin='http://localhost.evil.example')),
        ('the Origin of a page without one', 403, dict(origin='null')),
        ('the Origin of a file', 403, dict(origin='file://')),
        ('a long Origin', 403, dict(origin='http://' + 'a' * 1500)),
        ('the page, from the Origin of Foxglove', 403,
         dict(protocol=PAGE, origin='https://app.foxglove.dev')),
    ]
    for name, wanted, what in many:
        before = metrics(http)['refused_clients_total']
        status, s = upgrade(port, **what)
        ok(status == wanted, '%s: %d' % (name, wanted), status)
        s.close()
        n = until('the count', lambda: metrics(http)['refused_clients_total'] -
                  before)
        ok(n == 1, name + ': is counted', n)
    for name, what in (
            ('localhost', dict(host='localhost:%d' % port)),
            ('[::1]', dict(host='[::1]:%d' % port)),
            ('LOCALHOST', dict(host='LOCALHOST')),
            ('app.foxglove.dev', dict(origin='https://app.foxglove.dev')),
            ('a page of this machine', dict(origin='http://localhost:8080')),
            ('a program', dict(origin='app://lichtblick')),
            ('one of several sub-protocols',
             dict(protocol='chat, %s, other' % WS)),
            ('the page, from itself',
             dict(protocol=PAGE, origin='http://127.0.0.1:%d' % port))):
        status, s = upgrade(port, **what)
        ok(status == 101, name + ': welcome', status)
        s.close()
    for name, what in (
            ('an unknown sub-protocol', dict(protocol='chat')),
            ('a very long one', dict(protocol='x' * 2000)),
            ('no key', None)):
        s = connect(port)
        text = handshake(port, **(what or {}))
        if not what:
            text = b'\r\n'.join(l for l in text.split(b'\r\n')
                                if not l.startswith(b'Sec-WebSocket-Key'))
        s.sendall(text)
        status, _ = head_of(s)
        ok(status != 101, '%s: no connection (%d)' % (name, status), status)
        s.close()


def broken(port, http):
    """frames: what each does to the connection"""
    there = clients(http)
    hello = b'{"op":"getParameters","parameterNames":[],"id":"x"}'
    big = b'{"op":"' + b'x' * (2 << 20) + b'"}'
    many = [
        ('an unmasked frame', frame(TEXT, hello, masked=False), None),
        ('a length of 2^63', b'\x82\xff' + b'\xff' * 8 + b'mask', None),
        ('a length of 2^40', b'\x82\xff' + struct.pack('>Q', 1 << 40) +
         b'mask' + bytes(100000), None),
        ('a reserved opcode', frame(5, b'x'), None),
        ('reserved bits', bytes([0xf2]) + frame(BINARY, b'x')[1:], None),
        ('a long ping', frame(PING, bytes(200)), None),
        ('a ping in parts', frame(PING, b'x', final=False), None),
        ('a part of nothing', frame(0, b'x'), None),
        ('text that is no UTF-8', frame(TEXT, b'\xff\xfe\xfd'), None),
        ('text that is no JSON', frame(TEXT, b'hello'), 'no message'),
        ('JSON of 100000 brackets', frame(TEXT, b'[' * 100000), 'no message'),
        ('a message of 2 MB', frame(TEXT, big), 'more than 1 MB'),
        ('one of 2 MB in parts', b''.join(
            frame(BINARY if not i else 0, bytes(1000), final=False)
            for i in range(2100)), 'more than 1 MB'),
        ('a message of type 77', frame(BINARY, b'M'), 'type 77'),
    ]
    for name, data, why in many:
        before = metrics(http)['failed_clients_total']
        status, s = upgrade(port)
        try:
            s.sendall(data)
        except OSError:
            pass
        if why is None:
            # what libwebsockets itself refuses or bears
            s.shutdown(socket.SHUT_WR)
        got = rest(s)
        s.close()
        if why:
            ok(why.encode() in got and b'\x03\xf0' in got,
               '%s: closed: 1008, %s' % (name, why), got[-200:])
            n = until('the count',
                      lambda: metrics(http)['failed_clients_total'] - before)
            ok(n == 1, name + ': is counted', n)
    settle(http, there)
    ok(True, '%d broken connections are closed' % len(many))


def halves(port, http):
    """connections that end, or fall silent, at any byte"""
    there = clients(http)
    whole = handshake(port) + frame(TEXT, b'{"op":"subscribe","subscriptions":'
                                    b'[{"id":1,"channelId":1}]}') + \
        frame(BINARY, bytes(300))
    for n in range(0, len(whole), 7):
        s = connect(port)
        s.sendall(whole[:n])
        if n % 2:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                         struct.pack('ii', 1, 0))
        s.close()
    random.seed(1)
    for n in range(60):
        s = connect(port if n % 2 else http)
        try:
            s.sendall(random.randbytes(random.randrange(1, 3000)))
        except OSError:
            pass
        s.close()
    settle(http, there)
    ok(True, 'connections that end anywhere')


def requests(port, http):
    """HTTP: nothing but what is served, and no file"""
    def ask(text, where):
        s = connect(where)
        try:
            s.sendall(text)
            # some of them are no whole request
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        data = rest(s)
        s.close()
        return data

    bad = ['/' + 'a' * 1000, '/' + 'a' * 5000, '/' + 'a/' * 30000,
           '/../../../../etc/passwd', '/..%2f..%2f..%2fetc%2fpasswd',
           '/%2e%2e/%2e%2e/etc/passwd', '//etc/passwd', '/etc/passwd',
           '/x%00', '/%', '/%zz', '/metrics/', '/metrics/../../etc/passwd',
           '/gdim/', '/gdim/../status', '/gdim/%2e%2e/status', '/gdim/layers',
           '/gdim/' + 'x' * 2000, '/gdim/spot?' + 'x=1&' * 500, '/?' + 'a' * 900,
           '/index.htm', '*', 'metrics', 'http://127.0.0.1/etc/passwd',
           '\x01\x02', '/\xff\xfe', '/<script>alert(1)</script>', '/"\'{}']
    for path in bad:
        for where in port, http:
            data = ask(('GET %s HTTP/1.1\r\nHost: localhost\r\n'
                        'Connection: close\r\n\r\n' % path).encode('latin-1'),
                       where)
            if b'root:' in data or (data.startswith(b'HTTP/1.1 200') and
                                    not path.startswith('/?')) or \
                    b'<script>alert' in data:
                ok(False, 'a path: %.60r' % path, data[:300])
    ok(True, '%d hostile paths: none is served' % len(bad))
    for name, text in (
            ('POST', b'POST / HTTP/1.1\r\nHost: localhost\r\n'
                     b'Content-Length: 3\r\n\r\nabc'),
            ('PUT', b'PUT /metrics HTTP/1.1\r\nHost: localhost\r\n'
                    b'Content-Length: 0\r\n\r\n'),
            ('DELETE', b'DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
            ('a method that is none', b'HELLO / HTTP/1.1\r\nHost: localhost'
                                      b'\r\n\r\n'),
            ('no Host', b'GET /metrics HTTP/1.1\r\n\r\n'),
            ('a wrong Host', b'GET /metrics HTTP/1.1\r\nHost: evil.example'
                             b'\r\n\r\n'),
            ('a wrong Host of the page', b'GET / HTTP/1.1\r\n'
                                         b'Host: evil.example\r\n\r\n'),
            ('two Hosts', b'GET /metrics HTTP/1.1\r\nHost: evil.example\r\n'
                          b'Host: localhost\r\n\r\n'),
            ('a header of 10 kB', b'GET /metrics HTTP/1.1\r\nHost: localhost'
                                  b'\r\nCookie: ' + b'x' * 10000 + b'\r\n\r\n'),
            ('1000 headers', b'GET /metrics HTTP/1.1\r\nHost: localhost\r\n' +
             b''.join(b'X-%d: y\r\n' % i for i in range(1000)) + b'\r\n'),
            ('a length that is none', b'POST / HTTP/1.1\r\nHost: localhost\r\n'
                                      b'Content-Length: -5\r\n\r\n'),
            ('HTTP/0.9', b'GET /\r\n\r\n'), ('HTTP/9.9', b'GET / HTTP/9.9\r\n'
                                             b'Host: localhost\r\n\r\n'),
            ('a line without end', b'GET /' + b'x' * 100000)):
        data = ask(text, http)
        first = data.split(b'\r\n')[0]
        # too many headers, or a higher version, are no reason to refuse
        fine = name in ('a header of 10 kB', '1000 headers', 'HTTP/9.9',
                        'HTTP/0.9', 'a line without end')
        ok(fine or not first.startswith(b'HTTP/1.1 200'),
           '%s: %s' % (name, first.decode('latin-1')[:60] or 'closed'), first)
    data = ask((b'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n' * 20), http)
    n = data.count(b'HTTP/1.1 200')
    ok(n >= 1, 'requests one after the other: %d answers' % n, data[:200])


def slow(port, http):
    """handshakes that never end are closed; meanwhile others are served"""
    done = []

    def crawl(k):
        s = connect(port if k % 2 else http)
        text = handshake(port)
        try:
            for byte in text[:-1]:
                s.sendall(bytes([byte]))
                time.sleep(1)
        except OSError:
            done.append(k)
            return
        done.append(None)

    threads = [threading.Thread(target=crawl, args=(k,), daemon=True)
               for k in range(20)]
    silent = [connect(port if k % 2 else http) for k in range(100)]
    for t in threads:
        t.start()
    good = Client(port)
    until('serverInfo', lambda: good.op('serverInfo'))
    ok(True, 'a client gets in beside 20 slow and 100 silent ones')
    until('the end of slow handshakes', lambda: len(done) == len(threads))
    ok(None not in done, 'slow handshakes are closed by the server', done)
    for s in silent:
        rest(s)
        s.close()
    ok(True, 'so are silent connections')
    ok(not good.closed, 'the client stays', good.closed)
    good.close()


def answers(port, http, token):
    """(status of the page, of a handshake) on both ports"""
    path, got = '/?token=' + token if token else '/', []
    for to in http, port:
        s = connect(to)
        s.sendall(b'GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n' % to)
        page = head_of(s)[0]
        s.close()
        status, s = upgrade(to, path=path)
        s.close()
        got.append((page, status))
    return got


def halfopen(port, http, token=''):
    """half a request on many connections takes nobody's place"""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    for number, addresses in (600, 1), (2000, 50):
        halves = []
        for k in range(number):
            for to in port, http:
                halves.append(socket.create_connection(
                    ('127.0.0.1', to),
                    source_address=('127.0.1.%d' % (1 + k % addresses), 0)))
                halves[-1].sendall(b'GET / HTTP/1.1\r\nHost: x\r\nX: ')
        began = time.monotonic()
        got = answers(port, http, token)
        print('# %.3f s' % (time.monotonic() - began))
        ok(got == [(200, 101)] * 2, 'beside %d half-open on each port, from %d '
           'addresses' % (number, addresses), got)
        for s in halves:
            s.close()
    if token:
        # of the page: it shows its token later
        silent = [upgrade(http, protocol=PAGE)[1] for _ in range(300)]
        got = answers(port, http, token)
        ok(got == [(200, 101)] * 2, 'beside 300 clients without a token', got)
        for s in silent:
            s.close()


def crowd(port, http):
    """as many clients as there is room for, and one more"""
    there, more = clients(http), []
    before = metrics(http)['refused_clients_total']
    while len(more) < 300:
        status, s = upgrade(port)
        if status != 101:
            break
        more.append(s)
    ok(clients(http) == 256, '%d and %d clients: 256' % (there, len(more)),
       clients(http))
    ok(status == 503, 'the next one is refused: 503', status)
    s.close()
    n = until('the count', lambda: metrics(http)['refused_clients_total'] - before)
    ok(n == 1, 'and counted', n)
    for s in more:
        s.close()
    settle(http, there)
    status, s = upgrade(port)
    ok(status == 101, 'after they are gone there is room again', status)
    s.close()
    settle(http, there)


def greedy(port, http):
    """requests whose answers are not read: the server does not keep them all"""
    there = clients(http)
    before = metrics(http)['failed_clients_total']
    status, s = upgrade(port)
    ask = frame(TEXT, b'{"op":"getParameters","parameterNames":[],"id":"%s"}' %
                (b'y' * 60000))
    s.settimeout(5)
    try:
        for _ in range(1000):
            s.sendall(ask)
    except OSError:
        pass
    until('the end of a client that does not read',
          lambda: metrics(http)['failed_clients_total'] > before,
          lambda: metrics(http))
    s.close()
    ok(True, 'a client that asks and does not read is closed')
    settle(http, there)


def fill(port, http):
    """until the history of messages is as large as it may be"""
    c = Client(port, SDK)

    def speed(x):
        c.send(b'\x03\0' + struct.pack('<f', x) + bytes(9) + bytes(4))

    speed(60)
    until('a full history', lambda: metrics(http)['thinned_total'] > 0,
          lambda: metrics(http))
    speed(1)
    ok(True, 'the history is full')
    c.close()
    settle(http, 0)


def tokens(port, http, token, address):
    def get(path, *headers):
        s = socket.create_connection((address, http))
        s.sendall(('GET %s HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n%s'
                   '\r\n' % (path, address, http, ''.join(
                       h + '\r\n' for h in headers))).encode())
        status, _ = head_of(s)
        s.close()
        return status

    def open_(**more):
        s = socket.create_connection((address, port))
        s.sendall(handshake(port, host='%s:%d' % (address, port), **more))
        status, _ = head_of(s)
        s.close()
        return status

    bearer = 'Authorization: Bearer '
    for name, got, wanted in (
            ('the page needs none', get('/'), 200),
            ('metrics: none', get('/metrics'), 401),
            ('metrics: a wrong one', get('/metrics', bearer + token[:-1]), 401),
            ('metrics: one that is longer', get('/metrics', bearer + token + 'x'),
             401),
            ('metrics: an empty one', get('/metrics', bearer), 401),
            ('metrics: Basic', get('/metrics', 'Authorization: Basic ' + token),
             401),
            ('metrics: in the header', get('/metrics', bearer + token), 200),
            ('metrics: in the query', get('/metrics?token=' + token), 200),
            ('gdimd: none', get('/gdim/layers'), 401),
            ('gdimd: with one, but no gdimd', get('/gdim/layers?token=' + token),
             404)):
        ok(got == wanted, '%s: %d' % (name, wanted), got)
    for protocol in WS, SDK:
        for name, got, wanted in (
                ('none', open_(protocol=protocol), 401),
                ('a wrong one', open_(protocol=protocol, path='/?token=x'), 401),
                ('an empty one', open_(protocol=protocol, path='/?token='), 401),
                ('in the query', open_(protocol=protocol,
                                       path='/?token=' + token), 101),
                ('after others', open_(protocol=protocol,
                                       path='/?a=b&token=' + token), 101),
                ('in the header', open_(protocol=protocol,
                                        more=bearer + token + '\r\n'), 101)):
            ok(got == wanted, '%s: %s: %d' % (protocol, name, wanted), got)


if __name__ == '__main__':
    part, ports = sys.argv[1], [int(a) for a in sys.argv[2:4]]
    globals()[part](*ports, *sys.argv[4:])
