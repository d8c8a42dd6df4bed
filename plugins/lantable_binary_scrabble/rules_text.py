"""The rules in short, for people, as `lantable rules` prints them; docs/binary-scrabble.md is the whole of them."""

from typing import Final

from lantable.wording import joined
from lantable_binary_scrabble.wording import msg

_COMMON: Final = (
    msg("""\
A turn is to place tiles, to exchange some, or to pass. Placed tiles go on empty squares of one row or column, \
without a gap once what lies there is counted in; the first move covers the centre, every later one touches a tile. \
At most one new = may be laid. Afterwards every row of two or more tiles that holds a new one, across and down, must \
be a true equation. Adding at both ends of what lies there is allowed. A blank shows any digit or sign, and scores \
nothing."""),
    msg("""\
Tiles may be exchanged while the bag holds at least a full rack; that scores nothing, and so does passing."""),
    msg("""\
Each equation scores its new tiles, each times the premium of its square, plus a bonus for its value, all times the \
equation premiums under new tiles. Laying a full rack at once adds 50. The board shows T and D where an equation \
counts three or two times, t and d where a tile does."""),
    msg("""\
The game ends when somebody has emptied the rack and the bag is empty, or after two rounds of turns that scored \
nothing. Whoever went out adds the points of the tiles left on the other racks. The highest total wins."""),
    msg("""\
8D 1+1=10 lays tiles from row 8, column D, across; D8 goes down. Only the tiles you lay are named; 1? is a blank laid \
as 1. -01= exchanges those three tiles. pass is a word, and so are challenge and accept where plays may be \
challenged."""),
    msg("""\
Whoever resigns is skipped and cannot win; the last one left wins."""),
)

BINARY_TEXT: Final = joined(
    "\n\n",
    (
        msg("""\
Tiles are laid on a board of 15 by 15 squares so that every row of tiles reads as a true equation in binary. Two to \
four play with 9 tiles each, drawn back to 9 after every turn while the bag lasts; who starts is drawn by lot."""),
        msg("""\
An equation is two or more sides joined by =, all of one value, such as 10x10=100=11+1. A number longer than one digit \
starts with 1, except right after NOT. AND, OR and XOR work bit by bit; NOT flips exactly the digits written after it. \
NOT comes first, then x and /, then + and -, then AND, XOR, OR. A division must come out whole, and no step goes below \
zero. On each side at most one operator may change nothing, such as x1, +0 or OR 0."""),
        *_COMMON,
        msg("""\
The bonus is the value of the highest bit: 2 for 1+1=10, 8 for 11x11=1001."""),
    ),
)

NUMBER_TEXT: Final = joined(
    "\n\n",
    (
        msg("""\
Binary Scrabble in base ten: tiles are laid on a board of 15 by 15 squares so that every row of tiles reads as a true \
equation. Two to four play with 9 tiles each, drawn back to 9 after every turn while the bag lasts; who starts is \
drawn by lot."""),
        msg("""\
An equation is two or more sides joined by =, all of one value, such as 2x2=1+3. Numbers may be below zero: -3=5-8. s \
squares the number right before it, r takes the square root of the one right after it, which must come out whole. Then \
come x and /, then + and -. A division must come out whole. On each side at most one operator may change nothing, such \
as x1 or +0."""),
        *_COMMON,
        msg("""\
The bonus is the square root of the value, rounded up: 3 for 3+3=6."""),
    ),
)
