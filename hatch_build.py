"""What the build does besides packing: the catalogues of translations are compiled, each beside its source.

The source (`.po`) is kept in the repository, the compiled form (`.mo`) is made by every build, so that the two cannot
differ; a checkout that is installed editable has it too. Babel is needed for this and for nothing at run time.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def sources(root: Path) -> Iterator[Path]:
    """Every catalogue of the project: `…/PACKAGE/locale/LANGUAGE/LC_MESSAGES/DOMAIN.po`."""
    return root.glob("*/*/locale/*/LC_MESSAGES/*.po")


def compile_catalogues(root: Path) -> None:
    """Compile what is newer than its compiled form. Safe beside others that do the same."""
    for source in sources(root):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parent.parent.name, domain=source.stem, abort_invalid=True)
        new = target.with_name(f"{target.name}.{id(catalogue):x}.new")
        with new.open("wb") as file:
            write_mo(file, catalogue)
        new.replace(target)


class Catalogues(BuildHookInterface[Any]):
    """Hatchling's hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        compile_catalogues(Path(self.root))
