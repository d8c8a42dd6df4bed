"""How long it takes to find every legal move, and the best 20, over positions from seeded self-play games.

`python -m bench.generator [GAMES]` prints, by number of blanks on the rack, the distribution of times and of the
number of moves. Everything is timed in one process in the order of play, as a player's program would.
"""
