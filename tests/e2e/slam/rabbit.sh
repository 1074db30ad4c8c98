# SPDX-License-Identifier: GPL-2.0-only
#
# rabbit.sh - a private RabbitMQ broker on loopback; sourced after tap.sh
#
# rabbit_start, rabbit_kill (as a power failure), rabbit_stop. Its node name,
# ports (AMQP, distribution, EPMD), data, log, and cookie are private, all in
# $scratch/rabbit: a broker that runs on this machine is not touched.
# $rabbit_port, and $rabbit_url: of user "robot", password "secret".

. tests/lib/wait.sh

rabbit_pid= epmd_pid= rabbit_home=$scratch/rabbit

have_rabbit() { [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ]; }

# free_ports N: port numbers without a listener
free_ports()
{
	python3 - "$1" <<-'END'
	import socket, sys
	s = [socket.socket() for _ in range(int(sys.argv[1]))]
	for x in s:
	    x.bind(('127.0.0.1', 0))
	print(*(x.getsockname()[1] for x in s))
	END
}

rabbit_settings()
{
	read -r rabbit_port rabbit_dist rabbit_epmd < <(free_ports 3)
	mkdir -p "$rabbit_home/mnesia" "$rabbit_home/log"
	cat >"$rabbit_home/rabbit.conf" <<-END
	listeners.tcp.1 = 127.0.0.1:$rabbit_port
	default_user = robot
	default_pass = secret
	loopback_users = none
	log.console = false
	END
	: >"$rabbit_home/plugins"
	rabbit_url=amqp://robot:secret@127.0.0.1:$rabbit_port/%2f
}

# Without the packaged wrappers, which change to another user. After a crash
# Mnesia leaves files in the folder where the broker was started
rabbit_env()
{
	env --chdir="$rabbit_home" HOME="$rabbit_home" ERL_EPMD_PORT="$rabbit_epmd" \
	    ERL_EPMD_ADDRESS=127.0.0.1 \
	    RABBITMQ_NODENAME="optsample$rabbit_port@localhost" \
	    RABBITMQ_DIST_PORT="$rabbit_dist" \
	    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}" \
	    RABBITMQ_CONF_ENV_FILE=/dev/null \
	    RABBITMQ_CONFIG_FILE="$rabbit_home/rabbit.conf" \
	    RABBITMQ_ENABLED_PLUGINS_FILE="$rabbit_home/plugins" \
	    RABBITMQ_MNESIA_BASE="$rabbit_home/mnesia" \
	    RABBITMQ_LOG_BASE="$rabbit_home/log" "$@"
}

rabbit_ctl() { rabbit_env /usr/lib/rabbitmq/bin/rabbitmqctl -q "$@"; }

# While EPMD still has the name of a broker that was killed, another one of
# that name ends at once.
rabbit_is_forgotten()
{
	! rabbit_env epmd -names | grep -q "^name optsample$rabbit_port "
}

rabbit_accepts() { (: </dev/tcp/127.0.0.1/$rabbit_port) 2>/dev/null; }
rabbit_refuses() { ! rabbit_accepts; }

# The broker is a descendant of the script that starts it.
rabbit_run()
{
	wait_for 10 rabbit_is_forgotten
	rabbit_env setsid /usr/lib/rabbitmq/bin/rabbitmq-server \
		>"$rabbit_home/log/out" 2>&1 &
	rabbit_pid=$!
	wait_for 120 eval "rabbit_accepts || ! kill -0 $rabbit_pid"
	rabbit_env timeout 120 /usr/lib/rabbitmq/bin/rabbitmqctl -q \
		await_startup >/dev/null 2>&1
}

rabbit_start()
{
	rabbit_settings
	# so that no EPMD is started that outlives us
	ERL_EPMD_PORT=$rabbit_epmd epmd -address 127.0.0.1 >/dev/null 2>&1 &
	epmd_pid=$!
	rabbit_run && return
	sed 's/^/# /' "$rabbit_home/log/out"
	return 1
}

# children PID: with their children
children()
{
	local p

	for p in $(pgrep -P "$1"); do
		children "$p"
		echo "$p"
	done
}

# As kill -9; rabbit_run can start it again. The kernel may close its sockets
# later: until then it accepts connections, which get no answer
rabbit_kill()
{
	[ "$rabbit_pid" ] || return 0
	kill -9 $rabbit_pid $(children $rabbit_pid) 2>/dev/null
	wait $rabbit_pid 2>/dev/null
	wait_for 60 rabbit_refuses
	rabbit_pid=
}

rabbit_stop()
{
	rabbit_kill
	[ "$epmd_pid" ] && kill $epmd_pid 2>/dev/null && wait $epmd_pid
	epmd_pid=
} 2>/dev/null
