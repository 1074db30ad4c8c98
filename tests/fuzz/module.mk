# SPDX-License-Identifier: GPL-2.0-only
SRCS	:=
FLAGS	:= -Itests/fuzz/include -Itests/bpf $(UAPI)
TOOLS	:= fuzz_corpus fuzz_replay
# the classifier in user space: kernel.c includes the program
FUZZ	:= ros_tag
fuzz_corpus.SRCS := tests/fuzz/input.c tests/bpf/packet.c tests/bpf/frame.c
fuzz_replay.SRCS := tests/fuzz/kernel.c tests/fuzz/input.c tests/bpf/program.c
fuzz_replay.PKGS := libbpf
fuzz_ros_tag.SRCS := $(addprefix tests/fuzz/,kernel.c input.c ref.c ref_parse.c)
