#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A driver that accepts nothing for 75 minutes; 2^32 us are 71. For
# tools/machines/vm --skip-idle, where waiting takes no time.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

device limit 10
began=$EPOCHSECONDS
drive >/dev/null <<-END
	x 5 1 1 3 100
	x 5 2 2 3 100
	q
END
pause 4500
out=$(($(stat stall.driver_ns) / 1000000000))
# the guest's clock also jumps while it waits for a file of the host
took=$((EPOCHSECONDS - began + 1))
[ "$out" -ge 4500 ] && [ "$out" -le $took ]
ok "75 minutes without a departure are accounted: $out s of $took"
is "$(stat stalled) $(drive <<<q)" '"driver" 5/2/3' \
	"it is the driver, and the rest leaves"
[ "$(stat stall.driver_ns)" -ge $((out * 1000000000)) ]
ok "which takes nothing off the account"
ip link del d0
done_testing
