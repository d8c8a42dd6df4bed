"""Invitations: written and read back, mistyped in every way, shown as a QR code, and good for a whole game."""

import io
import re
from contextlib import suppress
from pathlib import Path

import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st

from lantable.errors import Misuse
from lantable_console.qr import check_terminal, qr_lines
from lantable_net.invitation import Invitation, is_invitation, read_invitation
from tests.cli import Desk
from tests.games import key
from tests.programs import GAME, Program, Stage

ADA = key(0).public
GOOD = f"lantable://192.168.1.20:4471/oak-7?key={ADA.hex}"

hosts = st.one_of(
    st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map(str), st.just("fe80::1%eth0"), st.just("ada.local")
)
tables = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=64)


@given(hosts, st.integers(1, 65535), tables)
def test_what_is_written_is_read_back(host: str, port: int, table: str) -> None:
    """Whatever the table is called, and wherever it is; it is one word that a person can copy."""
    invitation = Invitation((host, port), table, ADA)
    assert read_invitation(str(invitation)) == invitation
    assert re.fullmatch(r"[!-~]+", str(invitation)) and is_invitation(str(invitation))


def test_capitals_and_the_breaks_of_a_narrow_screen_do_not_matter() -> None:
    """It was typed from paper, or copied from a window that wrapped it."""
    typed = GOOD.replace("lantable", "LANTABLE").replace(ADA.hex, ADA.hex.upper())
    assert read_invitation(f"  {typed[:50]}\n  {typed[50:]} ") == read_invitation(GOOD)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lantable:/192.168.1.20:4471/oak-7?key=0", "must begin with lantable://"),
        (GOOD.replace("lantable", "https"), "must begin with lantable://"),
        (GOOD.partition("?")[0], "the key is missing"),
        (GOOD.replace("?key", "?code"), "the key is missing"),
        (GOOD[:-1], "64 hexadecimal digits, not 63"),
        (GOOD + "0", "64 hexadecimal digits, not 65"),
        (GOOD[:-1] + "o", "other signs among them"),
        (GOOD[:-64] + "0" * 64, "a digit of it is mistyped"),
        (GOOD.replace(":4471", ""), "HOST:PORT"),
        (GOOD.replace(":4471", ":70000"), "no port 70000"),
        (GOOD.replace("192.168.1.20", "fe80::1"), "HOST:PORT"),
        (GOOD.replace("192.168.1.20", "somebody@192.168.1.20"), "HOST:PORT"),
        (GOOD.replace("oak-7", ""), "the table's name is missing"),
        (GOOD.replace("oak-7", "%ff"), "the table's name cannot be read"),
        (GOOD.replace("oak-7", "a" * 65), "the table's name cannot be read"),
        (GOOD + "0" * 1000, "it has"),
    ],
)
def test_what_is_mistyped_is_said_in_one_line(text: str, words: str) -> None:
    """With what is wrong, and what one looks like."""
    assert is_invitation(text)
    with pytest.raises(Misuse, match=re.escape(words)) as caught:
        read_invitation(text)
    assert "\n" not in str(caught.value) and "One reads lantable://" in str(caught.value)


@given(st.text())
def test_any_text_is_an_invitation_or_a_misuse(text: str) -> None:
    """Nothing else can come of what somebody pastes."""
    for pasted in (text, f"lantable://{text}", GOOD[:30] + text, f"{GOOD[:45]}{text}"):
        with suppress(Misuse):
            read_invitation(pasted)


@pytest.mark.parametrize("text", ["oak-7", "192.168.1.20:4471", "[fe80::1]:4471", "lantable"])
def test_names_and_addresses_are_no_invitations(text: str) -> None:
    """`lantable join` takes all three, and must know which is meant."""
    assert not is_invitation(text)


# -- as a QR code


@pytest.mark.parametrize("host", ["192.168.1.20", "fd00:1234:5678:9abc:def0:1234:5678:9abc"])
def test_the_code_fits_the_screen_and_is_what_segno_made(host: str) -> None:
    """80 columns and 23 lines are enough, for the longest address too; the half blocks say the same modules."""
    text = str(Invitation((host, 4471), "oak-17", ADA))
    lines = qr_lines(text)
    assert len(lines) <= 23 and {len(line) for line in lines} == {len(lines[0])} and len(lines[0]) <= 80
    light = [[char in pair for char in line] for line in lines for pair in ("▀█", "▄█")]
    code = segno.make(text, error="l", micro=False, boost_error=False)
    modules = [[not dark for dark in row] for row in code.matrix_iter(border=2)]
    assert light[: len(modules)] == modules


def test_a_code_too_large_for_the_screen_is_refused_in_words() -> None:
    """A table with the longest name, all of it escaped."""
    with pytest.raises(Misuse, match="shorter name"):
        qr_lines(str(Invitation(("10.0.0.1", 4471), "☃" * 64, ADA)))


def test_a_terminal_without_half_blocks_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Question marks are no code."""
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    with pytest.raises(Misuse, match="cannot be shown in ascii"):
        check_terminal()


# -- followed


def invited(ada: Program) -> str:
    """The invitation Ada's screen shows."""
    return ada.match(r"lantable join '(lantable://\S+)'")[1]


def at_home(invitation: str) -> str:
    """The same on this machine, whatever address the network gave it."""
    read = read_invitation(invitation)
    return str(Invitation(("127.0.0.1", read.address[1]), read.table, read.key))


def test_an_invitation_is_good_for_a_whole_game(tmp_path: Path) -> None:
    """`host` prints it, `join` takes it, and nothing else is needed."""
    with Stage(tmp_path) as stage:
        ada = stage.start("ada", "host", GAME, "--rules", "size=1x1", "--auto", "easy")
        bob = stage.start("bob", "join", at_home(invited(ada)), "--auto", "easy")
        assert (ada.ends(), bob.ends()) == (0, 0)
        stage.assert_all_good("ada", "bob")


def test_the_key_in_an_invitation_is_the_only_one_that_will_do(tmp_path: Path) -> None:
    """Somebody else listens there now: refused, with what it may mean."""
    with Stage(tmp_path) as stage:
        ada = stage.start("ada", "host", GAME)
        read = read_invitation(at_home(invited(ada)))
        bob = stage.start("bob", "join", str(Invitation(read.address, read.table, key(1).public)))
        bob.expect("other_key: key", "the invitation is old")
        assert bob.ends() == 1


def test_an_invitation_to_a_table_that_is_gone(tmp_path: Path) -> None:
    """The host is there, the table is not; nobody waits half a minute for it."""
    with Stage(tmp_path) as stage:
        ada = stage.start("ada", "host", GAME, "--table", "oak-7")
        read = read_invitation(at_home(invited(ada)))
        bob = stage.start("bob", "join", str(Invitation(read.address, "oak-8", read.key)))
        bob.expect("has no open table 'oak-8' any more", "oak-7", "ask for a new invitation", seconds=5)
        assert bob.ends() == 2


def test_a_mistyped_invitation_is_one_line(tmp_path: Path) -> None:
    """Before a key is made or anything is dialled."""
    done = Desk(tmp_path / "home")("join", GOOD[:-3])
    assert done.code == 2 and "64 hexadecimal digits, not 61" in done.error
    assert not (tmp_path / "home").exists()


def test_the_lobby_writes_and_takes_invitations(tmp_path: Path) -> None:
    """`invite` shows it with its code, `join` follows it, and what cannot be is said."""
    with Stage(tmp_path) as stage:
        ada, bob = stage.start("ada", "lobby"), stage.start("bob", "lobby", PYTHONUTF8="1")
        ada.type("invite")
        ada.expect("open a table first")
        ada.type(f"host {GAME} size=1x1", "invite oak")
        ada.expect("no table called 'oak'")
        ada.type("invite")
        bob.type(f"join {at_home(invited(ada))}")
        ada.expect("1: bob", "asks for a seat")
        ada.type("y 1")
        for player in (ada, bob):
            player.expect("begins")
        bob.type("quit")
        ada.type("quit")
