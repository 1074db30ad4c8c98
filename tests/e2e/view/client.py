# SPDX-License-Identifier: GPL-2.0-only
"""
client.py - a WebSocket client, and what tests do with it; needs no packages
"""
import base64, json, os, re, socket, struct, sys, threading, time, urllib.request

WS, SDK = 'foxglove.websocket.v1', 'foxglove.sdk.v1'
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
PATIENCE = 120


def ok(good, name, *got):
    print(('ok ' if good else 'not ok ') + name, flush=True)
    if not good:
        for g in got:
            print('# got %.600s' % (g,), flush=True)
    return good


def until(what, condition, shows=None):
    """wait until the condition is true, and return its value"""
    end = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            sys.exit('it never came: %s; but %.600s' %
                     (what, shows() if shows else ''))
        time.sleep(.02)


def metrics(port):
    with urllib.request.urlopen('http://127.0.0.1:%d/metrics' % port) as f:
        return {m[0]: float(m[1]) for m in re.findall(
            r'^optsample_view_(\S+) (\S+)$', f.read().decode(), re.M)}


def frame(kind, data, final=True, masked=True):
    head = bytes([(0x80 if final else 0) | kind])
    n, m = len(data), 0x80 if masked else 0
    if n < 126:
        head += bytes([m | n])
    elif n < 65536:
        head += struct.pack('>BH', m | 126, n)
    else:
        head += struct.pack('>BQ', m | 127, n)
    if not masked:
        return head + data
    mask = b'\x12\x34\x56\x78'
    n4 = len(data) // 4 + 1
    mixed = int.from_bytes(data, 'big') ^ int.from_bytes(
        (mask * n4)[:len(data)], 'big') if data else 0
    return head + mask + mixed.to_bytes(len(data), 'big')


def handshake(port, path='/', protocol=WS, host=None, origin=None, more=''):
    return ('GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\n'
            'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'
            'Sec-WebSocket-Key: %s\r\n%s%s%s\r\n' % (
                path, host or '127.0.0.1:%d' % port,
                base64.b64encode(os.urandom(16)).decode(),
                'Sec-WebSocket-Protocol: %s\r\n' % protocol if protocol else '',
                'Origin: %s\r\n' % origin if origin else '', more)).encode()


def head_of(sock):
    """status and head of an answer; 0: the connection is closed"""
    text = b''
    while b'\r\n\r\n' not in text:
        try:
            part = sock.recv(1)
        except OSError:
            part = b''
        if not part:
            return 0, text
        text += part
    m = re.match(rb'HTTP/1\.[01] (\d+)', text)
    return int(m[1]) if m else 0, text


class Refused(Exception):
    pass


class Client:
    """reads in a thread, answers pings, and keeps what comes in lists"""

    def __init__(self, port, protocol=WS, address='127.0.0.1', **more):
        self.sock = socket.create_connection((address, port))
        self.sock.settimeout(PATIENCE)
        self.sock.sendall(handshake(port, protocol=protocol, **more))
        status, head = head_of(self.sock)
        if status != 101:
            raise Refused(status)
        self.lock = threading.Lock()
        self.texts, self.binaries, self.pings = [], [], 0
        self.closed = None
        threading.Thread(target=self.read, daemon=True).start()

    def exactly(self, n):
        data = b''
        while len(data) < n:
            part = self.sock.recv(n - len(data))
            if not part:
                raise OSError('closed')
            data += part
        return data

    def read(self):
        whole, kind = b'', 0
        try:
            while True:
                first, n = self.exactly(2)
                n &= 127
                if n > 125:
                    n = int.from_bytes(self.exactly(2 if n == 126 else 8), 'big')
                data = self.exactly(n)
                if first & 15 == PING:
                    self.pings += 1
                    self.send(data, PONG)
                elif first & 15 == CLOSE:
                    self.closed = (int.from_bytes(data[:2], 'big'),
                                   data[2:].decode())
                    return
                elif first & 15 != PONG:
                    kind = first & 15 or kind
                    whole += data
                    if first & 0x80:
                        if kind == TEXT:
                            self.texts.append(json.loads(whole))
                        else:
                            self.binaries.append(whole)
                        whole = b''
        except (OSError, ValueError) as e:
            self.closed = self.closed or (0, str(e))

    def send(self, what, kind=None):
        if not isinstance(what, bytes):
            what, kind = json.dumps(what).encode(), TEXT
        with self.lock:
            self.sock.sendall(frame(BINARY if kind is None else kind, what))

    def op(self, name):
        return [t for t in self.texts if t['op'] == name]

    def status(self, word):
        return until('status ' + word, lambda: next(
            (s for s in self.op('status') if word in s['message']), None),
            lambda: self.op('status'))

    def channels(self):
        return {c['topic']: c['id'] for o in self.op('advertise')
                for c in o['channels']}

    def subscribe(self, topic, sub):
        until(topic, lambda: topic in self.channels(), self.channels)
        self.send({'op': 'subscribe', 'subscriptions': [
            {'id': sub, 'channelId': self.channels()[topic]}]})

    def messages(self, sub):
        return [b[13:] for b in self.binaries
                if b[0] == 1 and int.from_bytes(b[1:5], 'little') == sub]

    def close(self):
        self.sock.close()
