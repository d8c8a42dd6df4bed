"""What a hostile machine on the network can send, as a program that stops by itself.

    python -m tests.flooding silent HOST PORT SECONDS     connections that never say who they are, from many addresses
    python -m tests.flooding frames HOST PORT SECONDS     many made-up keys, each sending as fast as it is let
    python -m tests.flooding names HOST NUMBER SECONDS    so many made-up people announced by multicast DNS from there;
                                                          with `apart` behind it, each claims another address

Prints `go` when the flood has begun, and in the end how much it got rid of. It is what the tests of limits hold the
program against.
"""

import secrets
import socket
import struct
import sys
import time
from typing import Final

import trio

from lantable.errors import LantableError
from lantable.keys import PrivateKey
from lantable_net import messages
from lantable_net.channel import Address, Channel
from lantable_net.connection import dial
from lantable_net.discovery import instance_name, write_txt
from lantable_net.handshake import Identity
from lantable_net.messages import Beat, Head, Join, TableInfo, Tables
from lantable_net.survey import GROUPS, MDNS_PORT, SERVICE
from lantable_net.tls import Tls

KEYS: Final = 80
"""More than the limit of connections."""
SOCKETS: Final = 400


def go() -> None:
    """The flood has begun."""
    print("go", flush=True)


async def silent(address: Address, seconds: float) -> int:
    """Connect from 127.0.0.2, .3, … and say nothing; the number of connections made."""
    made = 0
    held: list[trio.socket.SocketType] = []
    with trio.move_on_after(seconds):
        while True:
            sock = trio.socket.socket()
            await sock.bind((f"127.0.0.{2 + made % 200}", 0))
            try:
                await sock.connect(address)
                made += 1
            except OSError:
                await trio.sleep(0.01)
            held.append(sock)
            if len(held) == SOCKETS // 2:
                go()
            if len(held) > SOCKETS:
                held.pop(0).close()
    for sock in held:
        sock.close()
    return made


async def frames(address: Address, seconds: float) -> int:
    """Frames that were handed over, from all keys together."""
    sent: list[int] = []

    async def flood(name: str, nursery: trio.Nursery) -> None:
        while True:
            identity = Identity(PrivateKey(secrets.token_bytes(32)), secrets.token_bytes(16), name)
            try:
                channel = await dial(nursery, [address], identity, tls)
            except LantableError:
                await trio.sleep(0.05)
                continue
            if not sent:
                go()
            await talk(channel, sent)

    tls = Tls.fresh()
    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            for number in range(KEYS):
                nursery.start_soon(flood, f"mallory {number}", nursery)
    return len(sent)


async def talk(channel: Channel, sent: list[int]) -> None:
    """Everything anybody may send, again and again, until the channel is over; the size of each frame is noted."""
    while channel.over is None:
        table = TableInfo(f"flood-{len(sent)}", "dots-and-boxes", "1.0", {}, (), 2, ("mallory",))
        for message in (
            Beat(),
            Tables((table,), 4471),
            Join("oak-7"),
            Head(secrets.token_bytes(16), 3, bytes(32), False),
        ):
            frame = messages.write(message)
            channel.send(frame)
            sent.append(len(frame))
        await channel.drain()


def names(host: str, number: int, seconds: float, *, apart: bool = False) -> int:
    """Announcements handed to the network, each of a person of its own with all details."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(host))
        begin = time.monotonic()
        go()
        for count in range(number):
            claimed = f"10.9.{1 + count // 250}.{count % 250}" if apart else "10.9.0.250"
            sock.sendto(announcement(count, claimed), (GROUPS[4], MDNS_PORT))
            # All at once they would overrun the listeners' sockets, and few would be heard.
            time.sleep(max(0.0, begin + seconds * count / number - time.monotonic()))
    return number


def label(*labels: str) -> bytes:
    """A name as DNS has it."""
    return b"".join(bytes([len(part.encode())]) + part.encode() for part in labels) + b"\0"


def announcement(count: int, claimed: str) -> bytes:
    """PTR, SRV, TXT and A of one made-up person (RFC 6763), answers to nobody's question."""
    key = PrivateKey(count.to_bytes(32, "big")).public
    name = instance_name(f"mallory {count}", key)
    service = SERVICE.rstrip(".").split(".")
    full, host = label(name, *service), label(name, "local")
    txt = write_txt(key, f"mallory {count}", "open flood dots-and-boxes", "0")
    answers = (
        (label(*service), 12, 1, full),
        (full, 33, 0x8001, struct.pack("!3H", 0, 0, 9) + host),
        (full, 16, 0x8001, txt),
        (host, 1, 0x8001, socket.inet_aton(claimed)),
    )
    body = b"".join(n + struct.pack("!HHIH", kind, cls, 120, len(data)) + data for n, kind, cls, data in answers)
    return struct.pack("!6H", 0, 0x8400, 0, len(answers), 0, 0) + body


def main(kind: str, *arguments: str) -> int:
    if kind == "names":
        return names(arguments[0], int(arguments[1]), float(arguments[2]), apart=arguments[3:] == ("apart",))
    flood = {"silent": silent, "frames": frames}[kind]
    return trio.run(flood, (arguments[0], int(arguments[1])), float(arguments[2]))


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
