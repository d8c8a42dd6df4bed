"""What lantable costs, measured beside what it could cost at least.

    python -m bench            everything
    python -m bench move       one of: start, move, audit, open, see, screen, generator, dealing

Machines differ and are shared with other work, so a number alone says little. Each bench therefore measures a
floor in the same run, in turn with the thing itself: what the operating system or the library needs for the same
task without us. A target is a multiple of that floor, and compares medians. What was measured is printed as
min/p50/p90/p99/max; at the end stands a line per target, and the exit code is 1 if one was not held.
"""
