# SPDX-License-Identifier: GPL-2.0-only
#
# completion.bash - completion for bash: commands and options as `--help` lists
# them, interfaces, topics, files
#
# Installed once for each program, under its name.

# _optsample_words TEXT: those that begin with the current word
_optsample_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
	[[ ${COMPREPLY-} != *= ]] || compopt -o nospace
}

# _optsample_options COMMAND...
_optsample_options()
{
	"$@" --help 2>/dev/null |
		sed -nE 's/^ +(-., )?(--[A-Za-z0-9-]+=?).*/\2/p' | sort -u
}

# The word before is an option: complete its value. Return: 1 if it is none
_optsample_value()
{
	case $prev in
	--policy)
		_optsample_words 'optsample gap 2sample drop-oldest drop-newest'
		;;
	--log-level)
		_optsample_words 'error warning info debug'
		;;
	--by)
		_optsample_words 'number source header distance'
		;;
	--log|--map|--store|--config|-c|--key|--out|--checkpoint|--trajectory|\
	--socket|--stats|--relations|--poses)
		_filedir
		;;
	*)
		return 1
		;;
	esac
}

_optsample_topics()
{
	"$1" topics "$2" 2>/dev/null | grep -o '^/[^ ]*'
}

# Number of the word with the command: options may come first, and those of
# gdimctl have a value
_optsample_command()
{
	local i

	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--store|--socket) ((i++)) ;;
		-*)	;;
		*)	break ;;
		esac
	done
	echo $i
}

_optsample()
{
	local cur prev words cword program=$1 command= first

	_init_completion -n = || return
	[[ $cur != --*=* ]] || { prev=${cur%%=*} cur=${cur#*=}; }
	case ${program##*/} in
	optsample|optsample-lab|gdimctl)
		first=$(_optsample_command)
		if ((cword <= first)); then
			_optsample_value && return
			_optsample_words "$("$program" --help 2>/dev/null |
				sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
				--help --version"
			return
		fi
		command=${words[first]}
		;;
	esac
	_optsample_value && return
	if [[ $cur == -* ]]; then
		_optsample_words "$(_optsample_options "$program" \
			${command:+"$command"})"
	elif [[ ${program##*/} != optsample ]]; then
		_filedir
	elif ((cword == 2)) && [[ $command != @(send|recv|view) ]]; then
		_optsample_words "$(ls /sys/class/net)"
	elif ((cword == 3)) && [[ $command == topic ]]; then
		_optsample_words "$(_optsample_topics "$program" "${words[2]}")"
	fi
} &&
complete -F _optsample gdimctl gdimd optsample optsample-lab optsample-recv \
	optsample-send optsample-sim optsample-view slam-eval slam-worker slamd
