# SPDX-License-Identifier: GPL-2.0-only
#
# lib/jq.sh - an emulated processor needs 0.7 s to start jq itself
#
# Sourced by tests in guests.

! command -v gojq >/dev/null || jq() { gojq "$@"; }
