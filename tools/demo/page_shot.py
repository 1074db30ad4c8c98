#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""page_shot.py - a page in headless Chromium: scripts, keys and pictures

usage: page_shot.py URL WIDTHxHEIGHT STEP...

Steps, one after the other:

    wait=JS     until this is true, a minute at most
    do=JS       runs it
    print=JS    prints its value
    key=KEY     as the keyboard gives it: Escape, ArrowLeft, [
    shot=FILE   a PNG

What the page's console says of errors is printed, and is an error. Status 77:
there is no Chromium, or no python3-websockets. As a module: class Page.
"""
import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import websockets
except ImportError:
    websockets = None

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--use-gl=angle',
         '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
         '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--mute-audio',
         '--remote-debugging-port=0']
WAIT = 60                       # s


def missing():
    """What this cannot do without, or None"""
    return 'chromium' if not CHROMIUM else \
        'python3-websockets' if not websockets else None


class Page:
    """A page. async with Page(url, size) as page: ..."""

    def __init__(self, url, size):
        self.url, self.size = url, size
        self.count, self.errors = 0, []
        self.folder = tempfile.mkdtemp(prefix='page_shot.')
        self.process = self.socket = None

    async def __aenter__(self):
        self.process = subprocess.Popen(
            [CHROMIUM, *FLAGS, '--user-data-dir=' + self.folder,
             'about:blank'], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            await self._open()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def _open(self):
        where = os.path.join(self.folder, 'DevToolsActivePort')
        port, end = '', time.time() + WAIT
        while not port and time.time() < end:
            await asyncio.sleep(.1)
            if os.path.exists(where):
                with open(where) as f:
                    port = f.readline().strip()
        self.socket = await websockets.connect(
            f'ws://127.0.0.1:{port}{self._path(where)}', max_size=None)
        target = await self.call('Target.createTarget', url='about:blank')
        session = await self.call('Target.attachToTarget', flatten=True,
                                  targetId=target['targetId'])
        self.session = session['sessionId']
        for domain in 'Runtime', 'Log', 'Page':
            await self.call(domain + '.enable')
        width, height = self.size
        await self.call('Emulation.setDeviceMetricsOverride', width=width,
                        height=height, deviceScaleFactor=1,
                        mobile=width < 500)
        await self.call('Page.navigate', url=self.url)

    session = None

    @staticmethod
    def _path(where):
        with open(where) as f:
            return f.readlines()[1].strip()

    async def __aexit__(self, *_):
        if self.socket:
            await self.socket.close()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for _ in range(20):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                break
            await asyncio.sleep(.1)

    def _event(self, m):
        method, p = m.get('method'), m.get('params', {})
        if method == 'Runtime.exceptionThrown':
            d = p['exceptionDetails']
            self.errors.append(d.get('exception', {}).get('description') or
                               d['text'])
        elif method == 'Runtime.consoleAPICalled' and p['type'] == 'error':
            self.errors.append(' '.join(str(a.get('value')) for a in p['args']))
        elif method == 'Log.entryAdded' and p['entry']['level'] == 'error':
            self.errors.append(p['entry']['text'] + ' ' +
                               p['entry'].get('url', ''))

    async def call(self, method, **params):
        self.count += 1
        question = {'id': self.count, 'method': method, 'params': params}
        if self.session:
            question['sessionId'] = self.session
        await self.socket.send(json.dumps(question))
        while True:
            m = json.loads(await self.socket.recv())
            if m.get('id') == question['id']:
                if 'error' in m:
                    raise RuntimeError(f'{method}: {m["error"]["message"]}')
                return m['result']
            self._event(m)

    async def run(self, script):
        """Value of a script; an exception of it is one here"""
        r = await self.call('Runtime.evaluate', expression=script,
                            awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in r:
            raise RuntimeError(script + ': ' +
                               r['exceptionDetails']['exception']
                               .get('description', 'failed'))
        return r['result'].get('value')

    async def wait(self, script, seconds=WAIT):
        """Until it is true. Return: whether it became so"""
        end = time.time() + seconds
        while time.time() < end:
            try:
                if await self.run(script):
                    return True
            except RuntimeError:        # the page is not there yet
                pass
            await asyncio.sleep(.1)
        return False

    async def key(self, key):
        p = {'key': key, 'code': key if len(key) > 1 else ''}
        if len(key) == 1:
            p['text'] = key
        await self.call('Input.dispatchKeyEvent', type='keyDown', **p)
        p.pop('text', None)
        await self.call('Input.dispatchKeyEvent', type='keyUp', **p)

    async def click(self, x, y):
        for kind in 'mousePressed', 'mouseReleased':
            await self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y,
                            button='left', clickCount=1)

    async def shot(self, path):
        r = await self.call('Page.captureScreenshot', format='png')
        with open(path, 'wb') as f:
            f.write(base64.b64decode(r['data']))


async def steps(url, size, todo):
    status = 0
    async with Page(url, size) as page:
        for step in todo:
            what, _, value = step.partition('=')
            if what == 'wait':
                if not await page.wait(value):
                    print(f'page_shot.py: never: {value}', file=sys.stderr)
                    status = 1
                    break
            elif what == 'print':
                print(await page.run(value))
            else:
                await {'do': page.run, 'key': page.key,
                       'shot': page.shot}[what](value)
        for e in page.errors:
            print(f'page_shot.py: {e}', file=sys.stderr)
        return status or bool(page.errors)


def main():
    if len(sys.argv) < 3:
        print(__doc__.split('\n\n')[1], file=sys.stderr)
        return 2
    if missing():
        print(f'page_shot.py: {missing()} not found', file=sys.stderr)
        return 77
    size = tuple(int(n) for n in sys.argv[2].split('x'))
    return asyncio.run(steps(sys.argv[1], size, sys.argv[3:]))


if __name__ == '__main__':
    sys.exit(main())
