"""The client and the composition root: the one place where everything else is put together.

cli        the command table and `main`: arguments in, exit code out
parser     argparse, as the table wants it
home       the data folder: key, trust, records, the one-program lock
play       one game at the keyboard, in line mode, over a network or on one machine
lobby      who is here; hosting, joining, watching, resuming
demo       two peers on this machine play, and everything is checked
replay, audit, log, plugins, identity    what can be done with files alone
"""
