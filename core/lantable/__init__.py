"""lantable: the table itself, pure. No sockets, files, clocks, terminal or threads below this folder.

canonical -> keys -> events -> chain     what is written down, who signed it, and how the lines hang together
game      -> fold                        what a plugin offers, and step(): the only place where a game changes
table                                    one game being played = chain + fold; a line is accepted here or nowhere
hookspecs -> host                        the two hooks and the typed host that loads plugins one by one
errors, words, text                      whose fault it was; how keys are spoken; what may reach a terminal
"""

__version__ = "0.1.0"
