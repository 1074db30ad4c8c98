#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netlink-spec.sh - does Documentation/netlink/tc-optsample.yaml match the ABI?
# Attributes with their types, fields of the statistics and names of values,
# each in the order of their numbers.

cd "$(dirname -- "$0")/../.." || exit 1
. tests/lib/tap.sh
abi=include/uapi/linux/pkt_sch_optsample.h
spec=Documentation/netlink/tc-optsample.yaml

# Lines of `list name type`, in the words of the specification. An attribute's
# type is the first word of its comment.
of_header()
{
	awk '
	function name_of(word, prefix)
	{
		sub("^" prefix, "", word)
		gsub("_", "-", word)
		return tolower(word)
	}
	function list(word) { gsub("_", "-", word); return word }

	/^enum tc_optsample_/ {
		on = list($2)
		# the states of recall are TC_OPTSAMPLE_RECALL_*
		prefix = toupper($2) "_"
		sub(/_STATE_$/, "_", prefix)
		next
	}
	/^struct tc_optsample_/ { on = list($2); struct = 1; next }
	/^};/ || /^\t};/ { on = struct = ""; next }
	/^\tTCA_OPTSAMPLE_UNSPEC,/ {
		on = "tc-optsample-attrs"; prefix = "TCA_OPTSAMPLE_"; next
	}
	/^\tTCA_OPTSAMPLE_PROFILES_UNSPEC,/ {
		on = "tc-optsample-profiles-attrs"
		prefix = "TCA_OPTSAMPLE_"
		next
	}
	/^\tTCA_OPTSAMPLE_PROFILE_UNSPEC,/ {
		on = "tc-optsample-profile-attrs"
		prefix = "TCA_OPTSAMPLE_PROFILE_"
		next
	}
	!on || /^\t__TCA_/ || /^\t__TC_/ { next }
	struct && ($1 ~ /^__u/ || $1 == "struct") {
		field = $1 == "struct" ? $3 : $2
		array = field ~ /\[/
		sub(/(\[.*)?;.*/, "", field)
		print on, list(field), array || $1 == "struct" ? "binary" :
			substr($1, 3)
		# of a union, the first member
		if (field == "qdisc")
			on = ""
		next
	}
	/^\tTCA?_/ {
		type = $3
		sub(/,$/, "", type)
		sub(/,$/, "", $1)
		print on, name_of($1, prefix), $1 ~ /^TCA_/ ?
			(type ? type : "pad") : "value"
	}' $abi
}

of_spec()
{
	awk '
	/^[a-z]/ { section = $1 }
	section != "definitions:" && section != "attribute-sets:" { next }
	/^    name: / { on = $2 }
	# quoted: YAML reads on and off as booleans
	/^      - "?[a-z]/ { gsub(/"/, ""); print on, $2, "value" }
	/^        name: / { name = $2 }
	/^        type: / { print on, name, $2 }' $spec
}

of_header >"$scratch/header"
of_spec >"$scratch/spec"
for what in attrs profiles-attrs profile-attrs counters qd-stats cl-stats \
	xstats gate inflight-per recall recall-state stall; do
	grep "^tc-optsample-$what " "$scratch/header" >"$scratch/a"
	grep "^tc-optsample-$what " "$scratch/spec" >"$scratch/b"
	[ -s "$scratch/a" ] && diff "$scratch/a" "$scratch/b" | sed 's/^/# /'
	[ -s "$scratch/a" ] && cmp -s "$scratch/a" "$scratch/b"
	ok "tc-optsample-$what: $(wc -l <"$scratch/a") of them"
done
is_listed=$(cut -d' ' -f1 "$scratch/spec" | sort -u | wc -l)
[ "$is_listed" = 12 ]
ok "and there is nothing else"
done_testing
