"""What this game says to people: its own domain, with its catalogues beside it in `locale`."""

from typing import Final

from lantable.wording import Wording

msg: Final = Wording("lantable_dots_and_boxes")
msgs: Final = msg.count
