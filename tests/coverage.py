#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""coverage.py - how many lines of each folder its unit tests reach

usage: tests/coverage.py BUILD [FOLDER]

Reads what tests that `make coverage` built into BUILD have counted, by gcov.
Prints folder, lines and how many of 100 are reached, * for less than there
should be; of FOLDER alone also each of its files.
"""
import gzip
import json
import os
import subprocess
import sys

# of 100 lines, as few as may be reached
LEAST = {"userspace/base": 85, "userspace/ros/ros1": 85}
OTHERS = 75


def counted(build):
    """lines of sources: {path: {line: reached?}}"""
    lines = {}
    objects = [os.path.join(where, f) for where, _, files in os.walk(build)
               for f in files if f.endswith(".gcda")]
    if not objects:
        sys.exit("coverage: no test has run")
    top = os.getcwd() + "/"
    for i in range(0, len(objects), 50):
        said = subprocess.run(["gcov", "--json-format", "--stdout"] +
                              objects[i:i + 50], check=True,
                              stdout=subprocess.PIPE).stdout
        if said[:2] == b"\x1f\x8b":
            said = gzip.decompress(said)
        for text in said.splitlines():
            for file in json.loads(text)["files"]:
                path = os.path.normpath(file["file"]).replace(top, "")
                if not path.startswith(("userspace/", "include/")):
                    continue
                known = lines.setdefault(path, {})
                for line in file["lines"]:
                    n = line["line_number"]
                    known[n] = known.get(n, False) or line["count"] > 0
    return lines


def row(name, lines, least):
    share = 100 * sum(lines) // len(lines)
    print("%-40s %6d %4d %%%s" % (name, len(lines), share,
                                 " *" if share < least else ""))


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__.split("\n\n")[1])
    only = sys.argv[2].rstrip("/") if len(sys.argv) > 2 else None
    folders = {}
    for path, lines in counted(sys.argv[1]).items():
        if lines:
            folders.setdefault(os.path.dirname(path), {})[path] = \
                list(lines.values())
    if only and only not in folders:
        sys.exit("coverage: no test reaches " + only)
    print("%-40s %6s %6s" % ("folder", "lines", "reached"))
    for folder in [only] if only else sorted(folders):
        files = folders[folder]
        least = LEAST.get(folder, OTHERS)
        row(folder, sum(files.values(), []), least)
        for path in sorted(files) if only else []:
            row("  " + os.path.basename(path), files[path], 0)


if __name__ == "__main__":
    main()
