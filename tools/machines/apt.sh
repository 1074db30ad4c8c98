# SPDX-License-Identifier: GPL-2.0-only
#
# apt.sh - a private configuration of apt: own sources, state and cache, below
# build/apt; sourced
#
# Needs $build, and note() and die() of who sources it.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# mirror_of SUITE: the host's own mirror for it.  The security archive is a
# repository of its own.
mirror_of()
{
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
		'Created-By: Packages' 'Origin: Debian' |
	awk -v suite="$1" '
		($2 ~ /-security$/) != (suite ~ /-security$/) { next }
		!uri { uri = $1 }
		END { if (!uri) exit 1; print uri }'
}

# apt_setup NAME ARCHITECTURE SUITE...: write the configuration NAME, refresh
# its lists.  Packages for amd64 are known, too: tools that run here.
apt_setup()
{
	local name=$1 arch=$2 dir=$build/apt/$1 suite uri

	shift 2
	command -v apt-get >/dev/null || die "apt-get not found (package apt)"
	[ -r "$keyring" ] || die "$keyring: missing (debian-archive-keyring)"
	mkdir -p "$dir"/{state/lists/partial,cache/archives/partial} || exit 1
	: >"$dir/status"
	: >"$dir/sources.new"
	for suite; do
		uri=$(mirror_of "$suite") ||
			die "no Debian mirror for $suite known to apt" \
			    "(run apt-get update once)"
		printf '%s: %s\n' >>"$dir/sources.new" \
			Types deb URIs "$uri" Suites "$suite" \
			Components main Targets Packages \
			Languages none Signed-By "$keyring"
		echo >>"$dir/sources.new"
	done
	mv "$dir/sources.new" "$dir/private.sources"
	cat >"$dir/apt.conf" <<-END
	Dir::State "$dir/state";
	Dir::State::status "$dir/status";
	Dir::Cache "$dir/cache";
	Dir::Etc::sourcelist "$dir/private.sources";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	APT::Architecture "$arch";
	#clear APT::Architectures;
	APT::Architectures { "$arch"; "amd64"; };
	APT::Sandbox::User "root";
	END
	note "reading the package lists of $* for $arch"
	APT_CONFIG=$dir/apt.conf apt-get -qq update >&2 ||
		die "cannot read the package lists of $name"
}
