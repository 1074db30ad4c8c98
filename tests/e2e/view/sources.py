# SPDX-License-Identifier: GPL-2.0-only
"""
sources.py - what a client gets, for sources.sh

usage: sources.py sees PORT ENCODING NUMBER TOPIC...
       sources.py states PORT NUMBER TOPIC...
       sources.py robots PORT NUMBER TOPIC...

Prints "ok NAME" and "not ok NAME". sees: a number of messages of each topic;
states: of those of view-bag, all in order, none twice and none missing; robots:
over a link that may lose some, in order and none twice. Environment GOT is a
file that gets their numbers.
"""
import os, struct, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from client import Client, ok, until


def encodings(c):
    return {k['topic']: k['encoding'] for o in c.op('advertise')
            for k in o['channels']}


def sees(port, encoding, number, *topics):
    c = Client(int(port))
    for sub, topic in enumerate(topics):
        c.subscribe(topic, sub)
    got = encodings(c)
    for sub, topic in enumerate(topics):
        until('%s messages of %s' % (number, topic),
              lambda: len(c.messages(sub)) >= int(number),
              lambda: [len(c.messages(s)) for s in range(len(topics))])
        ok(got[topic] == encoding, '%s: %s messages, %s' %
           (topic, number, encoding), got)
    ok(c.closed is None, 'the connection is fine', c.closed)
    c.close()


def count(data):
    """position.x of an Odometry in CDR: behind two texts"""
    at = 12
    for _ in range(2):
        n = struct.unpack_from('<I', data, at)[0]
        at += 4 + n + -n % 4
    at += -(at - 4) % 8
    return int(struct.unpack_from('<d', data, at)[0])


def states(port, number, *topics, step=1):
    c = Client(int(port))
    for sub, topic in enumerate(topics):
        c.subscribe(topic, sub)
    for sub, topic in enumerate(topics):
        until('%s states of %s' % (number, topic),
              lambda: len(c.messages(sub)) >= int(number),
              lambda: [len(c.messages(s)) for s in range(len(topics))])
        got = [count(m) for m in c.messages(sub)]
        ok(all(0 < b - a <= step for a, b in zip(got, got[1:])),
           '%s: %d states, in order' % (topic, len(got)), got)
        if 'GOT' in os.environ:
            with open(os.environ['GOT'], 'a') as f:
                f.write(''.join('%d\n' % n for n in got))
    c.close()


def robots(port, number, *topics):
    states(port, number, *topics, step=1 << 30)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
