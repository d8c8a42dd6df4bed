"""lantable_net: other people. Protocols without I/O inside, trio and zeroconf at the edge.

without I/O                                    over trio
framing      bytes <-> frames                  channel     one authenticated connection that carries frames
handshake    who is there: H1..H4              connection  dial somebody, or serve those who dial
trust        whom we have met before           discovery   who may be there: hints, and a network for tests
messages     frames <-> meaning                mdns        discovery by multicast DNS (zeroconf's threads)
session      one game with its peers           service     all of it running
node         all games and peers

tls makes the throw-away certificate of this process.
"""
