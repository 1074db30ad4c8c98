#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# relay.py PORT TO_PORT MS STALL - a link between this host and a broker on it:
# each byte is MS late in both directions, and none passes while the file STALL
# exists

import asyncio
import os
import socket
import sys
import time

port, to_port = int(sys.argv[1]), int(sys.argv[2])
late, stall = float(sys.argv[3]) / 1000, sys.argv[4]


async def receive(reader, queue):
    data = b'-'
    while data:
        try:
            data = await reader.read(65536)
        except OSError:
            data = b''
        await queue.put((time.monotonic() + late, data))


async def send(queue, writer):
    while True:
        due, data = await queue.get()
        await asyncio.sleep(max(0, due - time.monotonic()))
        while os.path.exists(stall):
            await asyncio.sleep(0.01)
        if not data:
            break
        writer.write(data)
        await writer.drain()


async def pipe(reader, writer):
    queue = asyncio.Queue()
    receiver = asyncio.create_task(receive(reader, queue))
    try:
        await send(queue, writer)
    except OSError:
        pass
    receiver.cancel()
    writer.close()


async def on_connection(reader, writer):
    there = await asyncio.open_connection('127.0.0.1', to_port)
    for w in writer, there[1]:
        w.get_extra_info('socket').setsockopt(socket.IPPROTO_TCP,
                                              socket.TCP_NODELAY, 1)
    await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))


async def main():
    server = await asyncio.start_server(on_connection, '127.0.0.1', port)
    async with server:
        await server.serve_forever()

asyncio.run(main())
