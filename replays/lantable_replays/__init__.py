"""Records on disk and what can be told from them.

system    all in which operating systems differ: locks, syncing, private files, replacing
record    one record file: read (bytes in, checked lines out) and append (one write a line, crash-safe)
archive   a folder of records with marks and side files: the journal the network writes to
replay    a record's bytes taken through the chain and the rules, as far as they are good
cursor    walking to and fro in a replay
audit     the judgement of a record: integrity, rules, deal, and an exit code
evidence  the judgement of a proof or a refusal beside its record
"""
