#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/e2e/slam/eval.sh - slam-eval in use
#
# usage: tests/e2e/slam/eval.sh
#
# Its results for synthetic trajectories, for the published ones of the ACES
# building and of the Intel lab if available, and its messages for invalid
# input. Prints TAP; needs what make built, and python3. SLAM_EVAL: the program.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib/tap.sh
d=$scratch
real=../shared/data/slam
program=${SLAM_EVAL:-build/bin/slam-eval}

eval_slam() { "$program" "$@" 2>"$d/err"; }

# refused TEXT ARGS...: one line with that text, nothing else, status 1; or
# exits=2 refused ...: wrong usage
refused()
{
	local text=$1 out status

	shift
	out=$(eval_slam "$@")
	status=$?
	[ $status = "${exits:-1}" ] && [ -z "$out" ] && [ "$(wc -l <"$d/err")" = 1 ] &&
		grep -q "^slam-eval: " "$d/err" && grep -qF -- "$text" "$d/err"
}

# within VALUE TOLERANCE: each of the first numbers of a line is
within()
{
	python3 - "$@" <<'EOP'
import sys
got = [float(v) for v in sys.argv[1].split(",")]
want = [float(v) for v in sys.argv[3].split(",")]
sys.exit(any(abs(g - w) > float(sys.argv[2]) for g, w in zip(got, want)))
EOP
}

# A circle of 2 m in 60 s, its relations, and the same, 1 % larger
python3 - "$d" <<'EOP'
import math, sys
def pose(t, scale=1.0):
    a = 2 * math.pi * t / 60
    return scale * 2 * math.cos(a), scale * 2 * math.sin(a), a + math.pi / 2
def tum(name, scale, step):
    with open(f"{sys.argv[1]}/{name}", "w") as f:
        for i in range(int(60 / step) + 1):
            x, y, a = pose(i * step, scale)
            f.write(f"{100 + i * step:.6f} {x:.9f} {y:.9f} 0 0 0 "
                    f"{math.sin(a / 2):.9f} {math.cos(a / 2):.9f}\n")
def between(p, q):
    c, s, x, y = math.cos(p[2]), math.sin(p[2]), q[0] - p[0], q[1] - p[1]
    return c * x + s * y, c * y - s * x, q[2] - p[2]
tum("good", 1, 0.5)
tum("large", 1.01, 0.5)
tum("keys", 1, 10)
with open(f"{sys.argv[1]}/relations", "w") as f:
    for i in range(0, 30, 5):
        x, y, a = between(pose(i), pose(i + 30))
        f.write(f"{100 + i} {130 + i} {x:.9f} {y:.9f} 0 0 0 {a:.9f}\n")
    f.write("300 301 0 0 0 0 0 0\n")
with open(f"{sys.argv[1]}/log", "w") as f:
    f.write("# message_name\nFLASER 2 1 2 0 0 0 0 0 0 90 h 0\n")
    for i in range(0, 701):
        x, y, a = pose(i / 10 - 5)
        f.write(f"ODOM {x:.6f} {y:.6f} {a:.6f} 0 0 0 {95 + i / 10} h 0\n")
EOP
r=(--relations "$d/relations")

out=$(eval_slam "${r[@]}" --trajectory "$d/good")
[ "$(wc -l <<<"$out")" = 1 ] && within "$out" 1e-6 0,0,0,0,6
ok "no error where there is none"
out=$(eval_slam "${r[@]}" --trajectory "$d/large")
within "$out" 2e-6 0.04,0,0,0,6
ok "1 % of a way of 4 m"
out=$(eval_slam "${r[@]}" --trajectory "$d/keys")
within "$out" 1e-6 0,0,0,0,6
[ $? = 1 ]
ok "straight on from key to key is not how it went"
for how in "" --spread; do
	out=$(eval_slam "${r[@]}" --trajectory "$d/keys" --log "$d/log" $how)
	within "$out" 1e-4 0,0,0,0,6
	ok "with odometry it is${how:+, also with $how}"
done
out=$(eval_slam "${r[@]}" --trajectory "$d/large" --header --worst 2)
[ "$(sed -n 1p <<<"$out")" = "translation_mean,translation_std,rotation_mean_deg,rotation_std_deg,relations_used" ] &&
	[ "$(sed -n 3p <<<"$out")" = t1,t2,translation,rotation_deg ] &&
	[ "$(wc -l <<<"$out")" = 5 ]
ok "header, and the worst relations"
eval_slam "${r[@]}" --trajectory "$d/large" --json --worst 100 >"$d/json"
python3 - "$d/json" <<'EOP'
import json, sys
v = json.load(open(sys.argv[1]))
assert v["relations_used"] == 6 and v["relations_left_out"] == 1
assert abs(v["translation_mean"] - 0.04) < 1e-5 and len(v["worst"]) == 6
assert v["worst"][0]["translation"] >= v["worst"][5]["translation"]
EOP
ok "JSON"
out=$(eval_slam "${r[@]}" --trajectory "$d/large" --reach 200s)
within "${out##*,}" 0 7
ok "reach"
eval_slam --version | grep -q '^slam-eval [0-9]' &&
	eval_slam --help | grep -q -- --trajectory
ok "version and help"

printf '1 2 3\n' >"$d/short"
printf '\177ELF\001\002\0\0' >"$d/garbage"
: >"$d/empty"
exits=2 refused "missing --relations FILE" --trajectory "$d/good"
ok "refused: no relations"
exits=2 refused "missing --trajectory FILE" "${r[@]}"
ok "refused: no trajectory"
refused "No such file" "${r[@]}" --trajectory "$d/none"
ok "refused: no such file"
refused "short:1: is not" "${r[@]}" --trajectory "$d/short"
ok "refused: no trajectory in it"
refused "garbage:1: is not" --relations "$d/garbage" --trajectory "$d/good"
ok "refused: garbage"
refused "no poses" "${r[@]}" --trajectory "$d/empty"
ok "refused: an empty file"
refused "Is a directory" --relations "$d" --trajectory "$d/good"
ok "refused: a folder"
sed 's/^1/9/' "$d/good" >"$d/other"
refused "none of the 7 relations" "${r[@]}" --trajectory "$d/other"
ok "refused: other times"
refused "no odometry at the times" "${r[@]}" --trajectory "$d/other" --log "$d/log"
ok "refused: a log of other times"
refused "is neither a log" "${r[@]}" --trajectory "$d/good" --log "$d/good"
ok "refused: no log"
exits=2 refused "unexpected argument" "${r[@]}" --trajectory "$d/good" more
ok "refused: a word too many"
exits=2 refused "worst must be" "${r[@]}" --trajectory "$d/good" --worst 0
ok "refused: none of the worst"
exits=2 refused "no option" "${r[@]}" --trajectory "$d/good" --wurst 3
ok "refused: an option there is not"
exits=2 refused "needs --log" "${r[@]}" --trajectory "$d/good" --spread
ok "refused: what is to be spread?"
if [ -w /dev/full ]; then
	"$program" "${r[@]}" --trajectory "$d/good" >/dev/full 2>"$d/err"
	[ $? = 1 ] && grep -q "standard output" "$d/err"
	ok "a full disk is reported"
fi

# published NAME KEYS LOG NUMBERS: the authors' own corrected log, with the
# known results of their evaluator, which uses nearest poses and odometry
published()
{
	local out

	if [ ! -e "$real/$2.corrected.txt" ] || [ ! -e "$real/$3.clf" ] ||
		[ ! -e "$real/$1.relations" ]; then
		skip "$1: the published trajectory" "the recording is not there"
		return
	fi
	python3 - "$real/$2.corrected.txt" >"$d/$1.tum" <<'EOP'
import math, sys
for line in open(sys.argv[1]):
    if line[0] != "#":
        t, x, y, a = map(float, line.split())
        print(f"{t:.6f} {x} {y} 0 0 0 {math.sin(a / 2)} {math.cos(a / 2)}")
EOP
	out=$(eval_slam --relations "$real/$1.relations" \
		--trajectory "$d/$1.tum" --log "$real/$3.clf")
	echo "# $1: $out"
	within "$out" 2e-3 "$4"
	ok "$1: as others found for the published trajectory"
}

published aces aces_key440 aces_key440 0.0499,0.0486,1.076,1.447,1279
published intel intel_key910 intel_2726 0.0592,0.0610,2.278,2.847,2984
done_testing
