#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""outage.py ADDRESS send|receive: numbered messages of one flow, one datagram
each, as optsample-send makes them.

send sends 100; receive prints the numbers that arrived, until 2 s pass without
one."""
import os
import socket
import struct
import sys
import time

PORT = 7450
MESSAGES = 100
MAGIC, VERSION, SAMPLE = 0x4753504f, 1, 1
HEADER = struct.Struct('<IBBBBQIIHHIQQ')

s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[2] == 'send':
    stream = int.from_bytes(os.urandom(8), 'little')
    for n in range(MESSAGES):
        now = time.monotonic_ns()
        s.sendto(HEADER.pack(MAGIC, VERSION, SAMPLE, HEADER.size, 0, stream, 1,
                             n, 0, 1, now // 1000 & 0xffffffff, now, n) +
                 bytes(400), (sys.argv[1], PORT))
else:
    s.bind((sys.argv[1], PORT))
    s.settimeout(600)
    try:
        while True:
            print(HEADER.unpack(s.recv(2048)[:HEADER.size])[7], flush=True)
            s.settimeout(2)
    except socket.timeout:    # TimeoutError since Python 3.10
        pass
