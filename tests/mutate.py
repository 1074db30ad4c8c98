#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutate.py - small random faults in the sources of a folder, and whether its
unit tests notice them

usage: tests/mutate.py FOLDER [N [SEED [FLOOR]]]

N (30) mutants, the same ones for the same SEED (1) and sources: another
relation, another operator of arithmetic, || for &&, a constant plus 1, 0
instead of an error, a call, a ! or a break that is missing. Of a folder of
userspace/ in the .c files, of include/optsample in the headers. Each is
compiled aside and linked into the unit tests that are linked with the folder,
as `make quick` has them, nearest tests first, until one fails. Prints a line
for each mutant that none notices; exit status 1 if less than FLOOR (75) % are
noticed. Nothing in the tree is changed; needs what `make mutate` builds.
"""
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CHECKED = "build/sanitized"
# processor seconds of tests for one mutant, and of one compilation
BUDGET, COMPILE = 180, 300
SWAPS = ({" < ": " <= ", " > ": " >= ", " <= ": " < ", " >= ": " > ",
          " == ": " != ", " != ": " == "},
         {" + ": " - ", " - ": " + ", " += ": " -= ", " -= ": " += ",
          " << ": " >> ", " * ": " + "},
         {" && ": " || ", " || ": " && "})
# what only a reader of logs would notice, what only ThreadSanitizer would, and
# what could do harm elsewhere
LEFT_OUT = re.compile(r"\b(log_\w+|\w+_log\w*|va_\w+|\w*printf|error_set|assert|"
                      r"pthread_\w+_destroy|pthread_mutex_\w+|\w+_lock|kill|killpg|"
                      r"unlink\w*|rmdir|remove|rename\w*|reboot|mount|umount2?)\(")
# a limit, a size or a time that is one more is no fault
LARGE = 1000

# nor is more memory than is needed, or an open descriptor that is 0
MEMORY = re.compile(r"\b(\w*reserve|malloc|calloc|realloc)\(")
DESCRIPTOR = re.compile(r"(\b|_)fd < 0\b")

# tables of numbers, which a test could only repeat; an array that is one longer
NUMBERS = re.compile(r"[\s\d{},.-]+$")
ARRAY = re.compile(r"\t+(?:\w+ )+\**\w+\[[^=]*(?:= \{ 0 \})?;")
# the smaller of two is the same, whichever wins a tie
LEAST = re.compile(r"([\w.\[\]>-]+) ([<>]=?) ([\w.\[\]>-]+) \? (?:\1 : \3|\3 : \1)")


def die(text):
    sys.exit("mutate: " + text)


def output(*command):
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, env=env,
                          text=True).stdout


def run(command, cpu, wall, env=None):
    """status and what it printed; it and all that it started is gone then"""
    def limit():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE,
                           (1 << 28, resource.RLIM_INFINITY))
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said,
                                 stderr=subprocess.STDOUT, preexec_fn=limit,
                                 env=env)
        try:
            status = child.wait(timeout=wall)
        except subprocess.TimeoutExpired:
            status = "timeout"
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        said.seek(0)
        return status, said.read(1 << 24).decode(errors="replace")


class Lines:
    """of a source: what of each is code"""
    def __init__(self, text):
        self.lines = text.splitlines(keepends=True)
        self.code = []
        comment = False
        for line in self.lines:
            # the same length, without strings and comments
            line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'',
                          lambda m: '"' + "_" * (len(m[0]) - 2) + '"', line)
            if comment:
                end = line.find("*/")
                comment = end < 0
                line = " " * len(line) if comment else \
                    " " * (end + 2) + line[end + 2:]
            line = re.sub(r"/\*.*?\*/|//.*", lambda m: " " * len(m[0]), line)
            if "/*" in line:
                comment = True
                line = line[:line.index("/*")]
            self.code.append(line)

    def mutants(self, number, rnd):
        """of one line"""
        line, code = self.lines[number], self.code[number]
        if not code.startswith("\t") or code.rstrip().endswith("\\") or \
                LEFT_OUT.search(code) or NUMBERS.match(code):
            return []
        found = [line[:m.start()] + b + line[m.end():]
                 for swap in SWAPS for a, b in swap.items()
                 for m in re.finditer(re.escape(a), code)
                 if not any(t.start(2) == m.start() + 1 and a[1] == b[1]
                            for t in LEAST.finditer(code)) and
                 not (b == " <= " and any(t.start() <= m.start() < t.end()
                                          for t in DESCRIPTOR.finditer(code)))]
        for m in re.finditer(r"(?<![\w.])(?<!\de[-+])(\d+)(?![\w.])", code):
            if ARRAY.match(code) and code[m.start() - 1] == "[" or \
                    MEMORY.search(code):
                continue
            if 1 < int(m[1]) < LARGE or m[1] == "1" and rnd.random() < .3:
                found.append(line[:m.start()] + str(int(m[1]) + 1) +
                             line[m.end():])
        tabs = code[:len(code) - len(code.lstrip("\t"))]
        # no test is short of memory
        if re.match(r"\t+return -E(?!NOMEM)\w+;", code):
            found.append(tabs + "return 0;\n")
        if re.match(r"\t+[a-z_]\w*\(.*\);\s*$", code):
            found.append(tabs + ";\n")
        if re.match(r"\t+(break|continue);", code):
            found.append(tabs + ";\n")
        for m in re.finditer(r"(?<=[(\s])!(?=[\w(*])", code):
            found.append(line[:m.start()] + line[m.end():])
        return found


class Test:
    def __init__(self, name, source):
        self.name, self.source = name, source
        self.object = "%s/%s.o" % (CHECKED, source[:-2])
        self.binary = "%s/bin/test_%s" % (CHECKED, name)
        self.cost = None
        self.symbols = None

    def has(self, symbols):
        """is one of them in the program?"""
        if self.symbols is None:
            self.symbols = defined(self.binary)
        return not symbols or symbols & self.symbols


def defined(path):
    return {line.split()[-1] for line in
            output("nm", "--defined-only", "-g", path).splitlines()
            if len(line.split()) == 3}


class Folder:
    def __init__(self, folder):
        self.folder = folder
        self.headers = folder.startswith("include/")
        self.scratch = tempfile.mkdtemp(prefix="mutate-")
        # a program looks for those of the kernel in ../bpf
        os.mkdir(self.scratch + "/bin")
        os.symlink(os.path.abspath(CHECKED + "/bpf"), self.scratch + "/bpf")
        self.tests = [Test(words[0][5:], words[-1]) for words in
                      map(str.split, output("make", "-s",
                                            "--no-print-directory",
                                            "links").splitlines())
                      if words[0].startswith("unit:") and
                      (self.headers or folder in words)]
        if not self.tests:
            die("no unit test is linked with " + folder)
        self.compile, self.link = {}, {}
        for line in output("make", "-n", "-B", "V=1", "--no-print-directory",
                           *(t.binary for t in self.tests)).splitlines():
            m = re.search(r" -c -o %s/\S+ (\S+)$" % CHECKED, line)
            if m:
                self.compile[m[1]] = line.replace(" -MMD -MP", "")
            m = re.search(r" -o %s/bin/test_(\S+) " % CHECKED, line)
            if m:
                self.link[m[1]] = line
        self.original = {}
        self.env = dict(
            os.environ, TMPDIR=self.scratch, UBSAN_OPTIONS="print_stacktrace=1",
            ASAN_OPTIONS="hard_rss_limit_mb=4000:"
                         "allocator_may_return_null=1",
            LSAN_OPTIONS="suppressions=tests/unit/lsan.supp:print_suppressions=0")
        # a mutant's processes see none but their own
        self.alone = ["unshare", "--pid", "--fork", "--kill-child",
                      "--mount-proc"]
        if run(self.alone + ["true"], 10, 10)[0] != 0:
            self.alone = []

    def sources(self):
        return [f for f in sorted(os.listdir(self.folder))
                if f.endswith(".h" if self.headers else ".c") and
                (self.headers or "%s/%s" % (self.folder, f) in self.compile)]

    def try_test(self, test, binary):
        """None, or why it fails"""
        cpu, wall = test.cost or (60, 120)
        began = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        status, said = run(self.alone + [binary], 5 + int(4 * cpu),
                           20 + 6 * wall, self.env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.spent = after.ru_utime + after.ru_stime - before.ru_utime - \
            before.ru_stime
        if status == 0 and not re.search(r"^not ok ", said, re.M):
            if test.cost is None:
                test.cost = self.spent, time.monotonic() - began
            return None
        return "%s\n%s" % (status, said[-2000:])

    def command(self, command):
        status, said = run(["sh", "-c", command], COMPILE, 2 * COMPILE)
        return status == 0

    def object_of(self, source, text):
        """compile it aside, always under the same name: path of the object"""
        copy = "%s/%s" % (self.scratch, os.path.basename(source))
        made = copy[:-2] + ".o"
        with open(copy, "w") as f:
            f.write('#line 1 "%s"\n%s' % (source, text))
        return made if self.command(re.sub(
            r" -c -o \S+ \S+$", " -iquote %s -c -o %s %s" % (
                os.path.dirname(source), made, copy),
            self.compile[source])) else None

    def header(self, name, text):
        """a copy of include/ with that header"""
        copy = self.scratch + "/include"
        shutil.rmtree(copy, True)
        shutil.copytree("include", copy)
        with open("%s/%s" % (copy, os.path.relpath(self.folder, "include") +
                             "/" + name), "w") as f:
            f.write(text)

    def nearest(self, name):
        """tests of that source, those that are likely to notice first"""
        stem = name.split(".")[0]
        own = "tests/unit/" + self.folder.replace("userspace/", "") + "/"
        if self.headers:
            own = "tests/unit/include/"
            path = "%s/%s" % (self.folder, name)
            tests = [t for t in self.tests if path in
                     open(t.object[:-2] + ".d").read().split()]
        else:
            symbols = defined("%s/%s/%s.o" % (CHECKED, self.folder, stem))
            tests = [t for t in self.tests if t.has(symbols)]

        def far(t):
            with open(t.source) as f:
                text = f.read()
            return (not t.source.startswith(own),
                    not re.search(r'[/"<]%s\.h[">]' % stem, text),
                    stem not in t.name, t.cost or (1, 1))
        return sorted(tests, key=far)

    def built(self, test, made):
        """the test with the mutant in it"""
        binary = "%s/bin/test_%s" % (self.scratch, test.name)
        line = self.link[test.name].replace(
            " -o %s " % test.binary, " -o %s " % binary)
        if self.headers:
            source = test.source
            made = "%s/test.o" % self.scratch
            if not self.command(re.sub(r" -c -o \S+ ", " -c -o %s " % made,
                                       self.compile[source]).replace(
                    " -Iinclude", " -I%s/include" % self.scratch, 1)):
                return None
            line = line.replace(" %s " % test.object, " %s " % made)
        else:
            line = line.replace(" %s/%s.o " % (CHECKED, self.mutated[:-2]), " ")
            line = line.replace(" -Wl,--start-group",
                                " %s -Wl,--start-group" % made, 1)
        return binary if self.command(line) else None

    def noticed(self, name, text):
        """name of the test that fails; "" if none does; None: no mutant"""
        self.mutated = "%s/%s" % (self.folder, name)
        made = None
        if self.headers:
            self.header(name, text)
        else:
            with open(self.mutated) as f:
                was = f.read()
            if name not in self.original:
                made = self.object_of(self.mutated, was)
                if not made:
                    die("cannot compile " + self.mutated)
                with open(made, "rb") as f:
                    self.original[name] = f.read()
            made = self.object_of(self.mutated, text)
            if not made:
                return None
            with open(made, "rb") as f:
                # the compiler sees no difference
                if f.read() == self.original[name]:
                    return None
        spent = 0
        for test in self.nearest(name):
            if test.cost is None:
                why = self.try_test(test, test.binary)
                if why:
                    print("# %s fails without a mutant, too" % test.name)
                    self.tests.remove(test)
                    continue
            binary = self.built(test, made)
            if not binary:
                return None
            why = self.try_test(test, binary)
            os.unlink(binary)
            if why:
                return test.name
            spent += self.spent
            if spent > BUDGET:
                break
        return ""


def main():
    if not 2 <= len(sys.argv) <= 5:
        die(__doc__.split("\n\n")[1])
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    folder = sys.argv[1].rstrip("/")
    wanted, seed, floor = (list(map(int, sys.argv[2:])) + [30, 1, 75][
        len(sys.argv) - 2:])
    if not os.path.isdir(folder):
        die("no folder " + folder)
    work = Folder(folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    rnd = random.Random(seed)
    try:
        candidates = []
        for name in work.sources():
            with open("%s/%s" % (folder, name)) as f:
                lines = Lines(f.read())
            for number in range(len(lines.lines)):
                new = lines.mutants(number, rnd)
                rnd.shuffle(new)
                if new:
                    candidates.append((name, number, new, lines))
        rnd.shuffle(candidates)
        tried, good = 0, 0
        for name, number, new, lines in candidates:
            if tried >= wanted:
                break
            # one of a line, that can be compiled and makes a difference
            for line in new:
                test = work.noticed(name, "".join(
                    lines.lines[:number] + [line] + lines.lines[number + 1:]))
                if test is not None:
                    break
            else:
                continue
            tried += 1
            good += test != ""
            if os.environ.get("V"):
                print("# %s:%d: %s" % (name, number + 1, test or "-"))
            if not test:
                print("%s/%s:%d  %s -> %s" % (
                    folder, name, number + 1, lines.lines[number].strip(),
                    line.strip()))
            sys.stdout.flush()
        if not tried:
            die("nothing to change in " + folder)
        print("%s: %d of %d noticed (%d %%)" % (folder, good, tried,
                                               100 * good // tried))
        sys.exit(100 * good < floor * tried)
    finally:
        shutil.rmtree(work.scratch, True)


if __name__ == "__main__":
    main()
