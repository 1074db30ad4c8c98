# SPDX-License-Identifier: GPL-2.0-only
#
# lib/documents.sh - the commands of README.md, of the troubleshooting page and
# of the EXAMPLES of manual pages, as they are printed, and which of them a test
# can run
#
# Sourced. $top is the tree; the programs are in $PATH.

# documents: with commands
documents()
{
	(cd "$top" && ls README.md Documentation/troubleshooting.md \
		Documentation/*.[1-8])
}

# commands DOCUMENT: one a line, in its order; a line "<TITLE" begins a section,
# and has what it repeats once
commands()
{
	case $1 in
	*.md)	markdown "$1" ;;
	*)	examples "$1" ;;
	esac | sed -E '/^</! { s/[[:blank:]]+#[[:blank:]].*//; s/[[:blank:]]+/ /g }
		s/^ //; s/ $//' | awk '/^</ { delete seen } !seen[$0]++'
}

# markdown DOCUMENT: its indented lines, and `code` that is a program with an
# argument
markdown()
{
	local line

	sed -E 's/\\\|/|/g' "$top/$1" | awk '
	/^#/ { print "<" $0; next }
	/^    / { print; next }
	{ text = text $0 " " }
	# code may go on in the next line
	gsub(/`/, "&", text) % 2 == 0 {
		n = split(text, part, "`")
		for (i = 2; i <= n; i += 2)
			print "`" part[i]
		text = ""
	}' | while IFS= read -r line; do
		if [ "${line#\`}" = "$line" ]; then
			echo "$line"
		elif is_command ${line#\`}; then
			echo "${line#\`}"
		fi
	done
}

# is_command WORD...
is_command()
{
	[ $# -ge 2 ] && { type -P -- "$1" || [[ $1 == */* && -x $top/$1 ]] ||
		system_command "$1"; } >/dev/null
}

# system_command PROGRAM: of the machine that a document speaks of, which need
# not be here
system_command()
{
	[[ $1 =~ ^(apt|dkms|docker|make|systemctl|tc|ip)$ ]]
}

# examples DOCUMENT: the blocks of its EXAMPLES. Of a page on a configuration
# file only what has a prompt is a command
examples()
{
	local prompted=p

	[[ $1 != *.5 ]] || prompted='/^# /p'
	awk '/^\.SH/ { on = /EXAMPLES/ }
		on && /^\.S[SH]/ { sub(/^\.S. /, "<"); print }
		/^\.(EE|fi)/ { block = 0 }
		on && block
		/^\.(EX|nf)/ { block = 1 }' "$top/$1" |
		sed 's/\\e$/\\/; s/\\\\$/\\/; :a
			/\\$/ { N; s/\\\n/ /; s/\\e$/\\/; s/\\\\$/\\/; ta }' |
		sed -n 's/\\-/-/g; s/\\(dq/"/g; s/\\e/\\/g; s/\\f[BIRP]//g
			s|@LIBDIR@|/usr/lib/optsample|g
			/^</ { p; b }
			'"$prompted" | sed 's/^# //'
}

# settings DOCUMENT: the configuration file of its EXAMPLES, up to what has a
# prompt
settings()
{
	awk '/^\.SH/ { on = /EXAMPLES/ }
		/^\.fi/ { block = 0 }
		on && block && /^# / { exit }
		on && block
		/^\.nf/ { block = 1 }' "$top/$1" | sed 's/\\-/-/g'
}

# in_guest COMMAND: it needs the module, or the devices of a robot
in_guest()
{
	case $1 in
	"optsample watch --view") return 1 ;;
	"optsample send "*|"optsample recv "*|"optsample view "*) return 1 ;;
	"optsample "*|"tc "*|"ip "*|"ls /sys/"*|"dmesg "*) return 0 ;;
	esac
	return 1
}

# What is not run, each with its reason. The patterns are those of the shell.
never_run()
{
	sed 's/^\t*//' <<-'END'
	optsample up|the name of a command, its DEV is missing
	ip link add NAME *|a synopsis
	make demo|runs VMs for minutes; the test demo runs one of them
	make quick|the tests of make check contain all of it
	make check|this test is a part of it
	make deb|compiles everything once more, for minutes
	tools/packages *|installs packages
	apt install *|installs packages
	echo 1 >/sys/kernel/tracing/*|needs the module; the test trace does it
	cat /sys/kernel/tracing/trace_pipe|does not end
	dkms install *|needs the headers of the kernel that runs
	systemctl *|no systemd in a namespace
	tools/demo/view --live|a VM, and a browser's user who ends it
	OPTSAMPLE_TOPICS=*rosrun ...|no node is named; the test ros1_apps runs one
	END
}

# why_not COMMAND: the reason for which it is not run; or false
why_not()
{
	local pattern reason

	while IFS='|' read -r pattern reason; do
		[[ $1 != $pattern ]] || { echo "$reason"; return; }
	done < <(never_run)
	return 1
}
