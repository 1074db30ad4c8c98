#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""options.py - change the optsample qdisc of a device with any attributes

usage: options.py DEV

What tc would never send, too. Each line of stdin is one change; its words are
attributes of TCA_OPTIONS:

    NAME=NUMBER     u32
    NAME            flag
    NAME:HEX        any bytes
    NAME{ ... }     nest
    NAME[ ... ]     the same, not marked as one
    :HEX            bytes that are no attribute

NAME is that of the ABI without TCA_OPTSAMPLE_, or a number. Each change is
answered with one line: the error and the message of the kernel, or nothing.
"""
import os
import re
import socket
import struct
import sys

HEADER = os.path.join(os.path.dirname(__file__),
                      "../../include/uapi/linux/pkt_sch_optsample.h")
RTM_NEWQDISC, NLM_F_REQUEST_ACK = 36, 5
NLMSG_ERROR, NLMSGERR_ATTR_MSG = 2, 1
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
TCA_KIND, TCA_OPTIONS, TC_H_ROOT = 1, 2, 0xffffffff
NESTED = 0x8000


def numbers():
    """Names of the attributes, without what they begin with"""
    found = {}
    for body in re.findall(r"enum \{(.*?)\n\};", open(HEADER).read(), re.S):
        for i, name in enumerate(re.findall(r"^\tTCA_OPTSAMPLE_(\w+)", body,
                                            re.M)):
            found[name] = i
    return found


def attribute(kind, data):
    length = 4 + len(data)
    return struct.pack("HH", length, kind) + data + b"\0" * (-length % 4)


def build(words, names):
    """The attributes up to the end of the nest"""
    out = b""
    while words:
        word = words.pop(0)
        if word in "]}":
            break
        name, sign, value = re.match(r"(\w*)([={[:]?)(.*)", word).groups()
        kind = int(name) if name.isdigit() else names.get(name, 0)
        if sign == "=":
            out += attribute(kind, struct.pack("I", int(value)))
        elif sign in ("{", "["):
            out += attribute(kind | (NESTED if sign == "{" else 0),
                             build(words, names))
        elif sign == ":":
            data = bytes.fromhex(value)
            out += attribute(kind, data) if name else data
        else:
            out += attribute(kind, b"")
    return out


def message_of(reply):
    """The kernel's words in an error with NLM_F_ACK_TLVS"""
    at = 16 + 4 + 16
    while at + 4 <= len(reply):
        length, kind = struct.unpack_from("HH", reply, at)
        if kind == NLMSGERR_ATTR_MSG:
            return reply[at + 4:at + length - 1].decode()
        at += max(4, length + 3 & ~3)
    return ""


def change(dev, options):
    """Return: errno and message"""
    sk = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    sk.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
    sk.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
    body = struct.pack("BxxxiIII", 0, socket.if_nametoindex(dev), 0,
                       TC_H_ROOT, 0)
    body += attribute(TCA_KIND, b"optsample\0")
    body += attribute(TCA_OPTIONS | NESTED, options)
    sk.send(struct.pack("IHHII", 16 + len(body), RTM_NEWQDISC,
                        NLM_F_REQUEST_ACK, 1, 0) + body)
    reply = sk.recv(65536)
    kind, = struct.unpack_from("H", reply, 4)
    error, = struct.unpack_from("i", reply, 16)
    assert kind == NLMSG_ERROR
    return -error, message_of(reply)


names = numbers()
for line in sys.stdin:
    error, message = change(sys.argv[1], build(line.split(), names))
    print(os.strerror(error) + ": " + message if error else "", flush=True)
