# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - what a SLAM finds, for tests; sourced behind tap.sh

# Eight submaps of a corridor with walls on both sides, and poses of two kinds
make_input()
{
	python3 - "$scratch" <<-'END'
	import math, sys
	side, n = 60, 8
	with open(sys.argv[1] + '/cells.i8', 'wb') as f:
	    for k in range(n):
	        m = bytearray(b'\xff' * side * side)
	        for y in range(10, 50):
	            for x in range(side):
	                m[y * side + x] = 90 if y in (10, 49) else 5 + k
	        f.write(m)
	for name, drift in ('true', 0), ('drifted', 0.02):
	    with open(f'{sys.argv[1]}/{name}.csv', 'w') as f:
	        x = y = a = 0.0
	        for k in range(n):
	            f.write(f'{k},{x},{y},{a}\n')
	            x += 2.5 * math.cos(a)
	            y += 2.5 * math.sin(a)
	            a += drift
	END
}
