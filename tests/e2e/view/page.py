#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""page.py - the page of optsample-view in a browser: page.py BIN FOLDER

The robot "one" sends a picture and a cloud through udp-link --keep, whose
outage of 5 s begins 8 s after it; "two" sends a picture without it. All checks
wait for what the page shows. Prints TAP.
"""
import asyncio
import os
import socket
import subprocess
import sys
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = HERE[:HERE.rindex('/tests/')]
sys.path.insert(0, os.path.join(TOP, 'tools/demo'))
import page_shot                        # noqa: E402

BIN, FOLDER = sys.argv[1:3]
LIMIT = 150000                          # bytes of the page
count = failed = 0
running = {}


def ok(is_so, name):
    global count, failed
    count += 1
    failed += not is_so
    print(f'{"ok" if is_so else "not ok"} {count} {name}', flush=True)
    return is_so


def ports(n, kind):
    some = [socket.socket(socket.AF_INET, kind) for _ in range(n)]
    for s in some:
        s.bind(('127.0.0.1', 0))
    numbers = [s.getsockname()[1] for s in some]
    for s in some:
        s.close()
    return numbers


def begin(name, program, *args):
    log = open(os.path.join(FOLDER, name + '.log'), 'ab')
    running[name] = subprocess.Popen(
        [os.path.join(BIN, program), *args], stdout=log, stderr=log)
    log.close()


def end(name, kill=False):
    p = running.pop(name)
    p.kill() if kill else p.terminate()
    p.wait()


def view():
    begin('view', 'optsample-view', '--listen', f'127.0.0.1:{UDP}', '--http',
          f'127.0.0.1:{HTTP}', '--foxglove', 'none', '--socket',
          os.path.join(FOLDER, 'view.socket'))
    for _ in range(300):
        try:
            return urllib.request.urlopen(URL, timeout=5).read()
        except OSError:
            try:
                running['view'].wait(.1)
            except subprocess.TimeoutExpired:
                pass
    sys.exit('no optsample-view')


def robot(name, port, *sources):
    begin(name, 'optsample-send', '--name', name, '--device', 'no', '--loop',
          '--hz', '10', '--socket', os.path.join(FOLDER, name + '.socket'),
          '--to', f'127.0.0.1:{port}', *sources)


# What the page shows, as scripts
HELPERS = '''
const test = {
	topic: (source, kind) => [...Store.topics.values()].find(
		t => t.source === source && t.kind === kind),
	tile: source => document.querySelector('.camera[data-id="' +
		test.topic(source, 'image')?.id + '"]'),
	looks: (source, ...looks) => looks.every(
		l => test.tile(source)?.classList.contains(l)),
	text: (source, part) => test.tile(source).querySelector(part).textContent,
	outage: () => Store.outages.find(o => o.source === 'one'),
	/* the band of the camera from 2 s before the outage to 2 s after it */
	band() {
		const o = test.outage(), s = Store.slot(), id = test.topic('one', 'image').id;
		let line = '';
		for (let n = Math.floor(o.begin / s) - 4; n * s < o.end + 2000; n++)
			line += Store.at(id, n);
		return line;
	},
	/* in the middle of a kept slot, the second of the outage */
	kept() {
		const s = Store.slot(), id = test.topic('one', 'image').id;
		let left = 2;
		for (let n = Math.ceil(test.outage().begin / s); left; n++)
			if (Store.at(id, n) === 'K' && !--left)
				return (n + .9) * s;
	},
	x(t) {
		const box = document.getElementById('band-canvas').getBoundingClientRect();
		return box.left + box.width - 8 - (Store.now() - t) * (box.width - 8) / 120000;
	},
	/* whether the axis is painted at a time */
	drawn(t) {
		const c = document.getElementById('band-axis'), box = c.getBoundingClientRect();
		const by = c.width / box.width;
		return c.getContext('2d').getImageData((test.x(t) - box.left) * by, 4 * by,
			1, 1).data[3] > 0;
	},
	link: topic => Store.links.get('one')?.topics.find(t => t.topic === topic),
};
0'''


async def before(page):
    ok(await page.wait('document.body.classList.contains("nothing")'),
       'a page without a robot')
    begin('link', 'udp-link', '--keep', '12', '--trace',
          os.path.join(FOLDER, 'trace'), '--listen', f'127.0.0.1:{LINK}',
          '--to', f'127.0.0.1:{UDP}')
    robot('one', LINK, os.path.join(FOLDER, 'colour.png'),
          os.path.join(FOLDER, 'packets.bin'))
    robot('two', UDP, os.path.join(FOLDER, 'gray.png'))
    ok(await page.wait('''
        test.topic("one", "image") && test.topic("one", "cloud") &&
        test.topic("two", "image") &&
        document.getElementById("band-names").children.length >= 3'''),
       'topics of both robots')
    ok(await page.wait('test.looks("one", "live") && test.looks("two", "live")'),
       'their cameras are live')


async def outage(page):
    ok(await page.wait('test.looks("one", "disconnected") && '
                       'test.text("one", ".note").startsWith("no link for")'),
       'in an outage the camera says that there is no link')
    ok(await page.run('test.looks("two", "live")'),
       'that of the other robot stays live')
    ok(await page.wait('test.looks("one", "live") && test.outage().end'),
       'after it the camera is live')
    ok(await page.wait(r'/LL[KXE]*K[KXE]*LL/.test(test.band()) && '
                       '!test.band().includes("E")'),
       'its band has kept ones between live ones')
    print('#', await page.run('test.band()'))
    ok(await page.run('Store.outages.length') == 1, 'it was one outage')
    middle = 'Store.outages[0].begin / 2 + Store.outages[0].end / 2'
    ok(await page.wait(f'test.drawn({middle}) && '
                       '!test.drawn(Store.outages[0].begin - 3000)'),
       'which is drawn over the bands')


async def cursor(page):
    t = await page.run('test.kept()')
    y = await page.run('''(() => {
        const row = document.querySelector("#band-names > *");
        const b = row.getBoundingClientRect();
        return b.top + b.height / 2; })()''')
    await page.click(await page.run(f'test.x({t})'), y)
    ok(await page.wait('Store.past && test.looks("one", "past", "kept")'),
       'the cursor in the outage: a kept picture')
    ok(await page.wait('''(() => {
        const m = Store.past.got.get(test.topic("one", "image").id);
        const o = test.outage();
        return m.kept && m.t >= o.begin - 500 && m.t <= Store.past.time &&
            Math.abs(m.t - Store.past.time) < 1500 && m.file.length > 100 &&
            test.text("one", ".age") === Util.clock(m.t, true); })()'''),
       'of that time, which it says')
    print('#', await page.run('test.text("one", ".age")'))
    await page.key('Escape')
    ok(await page.wait('Store.cursor === null && test.looks("one", "live")'),
       'Escape: live again')


async def control(page):
    topic = '/image'            # as the robot calls it
    was = await page.run(f'test.link("{topic}").priority')
    await page.run(f'''[...[...document.querySelectorAll("#link-list > *")]
        .find(c => c.querySelector("h3 b").textContent === "one")
        .querySelectorAll("tr")]
        .find(r => r.querySelector("th")?.title === "{topic}")
        .querySelector("[aria-label^=Raise]").click()''')
    ok(await page.wait(f'test.link("{topic}").priority === {was + 1}'),
       'a button changes the priority, says the robot')


async def ends(page):
    end('two')
    ok(await page.wait('!test.looks("two", "live")'),
       'a camera that stops is not live')
    ok(await page.wait('test.looks("one", "live")'), 'the others are')
    ok(not page.errors, 'no errors in the console')
    for e in page.errors:
        print('#', e)
    end('view', kill=True)
    ok(await page.wait('''!Connection.connected() &&
        document.getElementById("page-state").textContent.includes("lost") &&
        test.looks("one", "disconnected")'''),
       'without optsample-view the page says so')
    view()
    ok(await page.wait('Connection.connected() && test.looks("one", "live")'),
       'and is live again with it')


async def main():
    page = view()
    ok(len(page) <= LIMIT, f'the page has {len(page)} of {LIMIT} bytes')
    async with page_shot.Page(URL, (1366, 768)) as page:
        await page.wait('Store && Connection')
        await page.run(HELPERS)
        for part in before, outage, cursor, control, ends:
            await part(page)


HTTP, = ports(1, socket.SOCK_STREAM)
UDP, LINK = ports(2, socket.SOCK_DGRAM)
URL = f'http://127.0.0.1:{HTTP}/'
subprocess.run(['/usr/bin/python3', os.path.join(TOP, 'tests/e2e/lab/make.py'),
                FOLDER], check=True)
with open(os.path.join(FOLDER, 'trace'), 'w') as f:
    f.write('0 8e6 0 5\n8 0 0 5\n13 8e6 0 5\n')
try:
    asyncio.run(main())
except Exception as e:                  # a missing element is a failure, too
    ok(False, f'{type(e).__name__}: {e}'.replace('\n', ' '))
finally:
    for each in list(running):
        end(each, kill=True)
print(f'1..{count}')
sys.exit(failed > 0)
