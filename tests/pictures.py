"""The pictures of the pages: real screens, drawn by the program itself as SVG.

python -m tests.pictures            says which differ from what is drawn now; exit status 1 if any does
python -m tests.pictures --write    draws them anew
"""

import sys
from pathlib import Path
from typing import Final

from lantable_console.screen.svg import svg
from tests.screens import Terminal, show

FOLDER: Final = Path(__file__).parent.parent / "docs" / "pictures"
PICTURES: Final = {
    "lobby": ("lobby", "dark"),
    "game": ("game", "dark"),
    "replay": ("replay", "dark"),
    "putting-across": ("putting-across", "dark"),
    "putting-wrong": ("putting-wrong", "dark"),
    "game-light": ("game", "light"),
    "game-contrast": ("game", "contrast"),
}
"""By name: a scene of `tests.screens`, and the theme in which it is shown."""


def drawn(name: str) -> str:
    """A picture as the program draws it, as SVG."""
    scene, theme = PICTURES[name]
    frames: list[str] = []

    def script(terminal: Terminal) -> None:
        terminal.expect("? help")
        frames.append(svg(terminal.screen.canvas.frame, theme))

    show(scene, script)
    return frames[0]


def path(scene: str) -> Path:
    return FOLDER / f"{scene}.svg"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--write"]):
        print("usage: python -m tests.pictures [--write]", file=sys.stderr)
        return 2
    FOLDER.mkdir(exist_ok=True)
    stale = [scene for scene in PICTURES if not path(scene).exists() or path(scene).read_text() != drawn(scene)]
    for scene in stale:
        if arguments:
            path(scene).write_text(drawn(scene))
        print(f"{path(scene)}: {'written' if arguments else 'differs from what is drawn now'}")
    return 1 if stale and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
