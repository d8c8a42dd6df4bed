"""`lantable doctor` names each cause and says what to do; each is made between network namespaces and looked for."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from lantable_console.doctor import check_nics
from lantable_net.survey import Nic, is_tunnel, link_trouble
from tests.cli import Desk
from tests.hosts import Lan
from tests.programs import LANTABLE, ROOT, Stage, environment

MakeLan = Callable[..., tuple[Lan, Stage]]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeLan]:
    """`make("ada", "bob")`: hosts on a LAN, and the stage for programs on them."""
    with ExitStack() as stack:

        def make(*hosts: str, **how: Any) -> tuple[Lan, Stage]:
            lan = stack.enter_context(Lan(*hosts, **how))
            return lan, stack.enter_context(Stage(tmp_path))

        yield make


class Report:
    """What the doctor said, by check."""

    def __init__(self, lan: Lan, host: str, *words: str) -> None:
        command = [*lan.at(host), *LANTABLE, "doctor", "--json", *words]
        done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
        assert not done.stderr
        self.code = done.returncode
        report = json.loads(done.stdout)
        self.rows = {row.pop("check"): row for row in report["checks"]}
        assert (self.code == 0) == report["good"] == all(row["state"] != "FAIL" for row in self.rows.values())

    def state(self, check: str) -> str:
        return str(self.rows[check]["state"])

    def says(self, check: str, *words: str) -> bool:
        """Whether what was found and advised has all these words."""
        text = f"{self.rows[check]['found']} -> {self.rows[check]['advice']}"
        return all(word in text for word in words)

    @property
    def wrong(self) -> list[str]:
        return [check for check, row in self.rows.items() if row["state"] == "FAIL"]


def lobby(lan: Lan, stage: Stage, name: str) -> None:
    """Somebody is there, and listens."""
    stage.start(name, "lobby", "--port", "4471", where=lan.at(name), discovery=True).expect("can reach you at")


@pytest.mark.netns
def test_a_good_network(make: MakeLan) -> None:
    """Bob is found, reached, and reaches us; a typed address is tried too. Bob's screen shows nobody for it."""
    lan, stage = make("ada", "bob")
    lobby(lan, stage, "bob")
    report = Report(lan, "ada", f"{lan.address('bob')}:4471")
    assert report.code == 0 and {row["state"] for row in report.rows.values()} == {"ok"}
    assert report.says("lan0", "10.9.0.1", "multicast works") and report.says("people", "bob")
    assert report.says("reach me", lan.address("bob")) or report.says("reach me", "fe80::")
    assert report.says("address", "a lantable answers at 10.9.0.2:4471")
    (bob,) = stage.programs
    bob.type("who")
    assert bob.expect("more listed on the network").startswith("  0 connected, 0 more")
    assert not [line for line in bob.lines if "first time" in line or " is here" in line or "doctor (" in line]


@pytest.mark.netns
def test_no_network_at_all(make: MakeLan) -> None:
    """Nothing but loopback."""
    lan, _ = make("ada", cables={"ada": ()})
    report = Report(lan, "ada")
    assert report.wrong == ["network"] and report.says("network", "on no network", "plug in a cable")


@pytest.mark.netns
@pytest.mark.parametrize(
    ("command", "words"),
    [("ip link set lan0 down", ("it is switched off", "switch it on")), ("", ("no cable", "plug in the cable"))],
    ids=["down", "unplugged"],
)
def test_an_interface_that_cannot_pass_anything(make: MakeLan, command: str, words: tuple[str, ...]) -> None:
    """The only one: that is what is wrong."""
    lan, _ = make("ada")
    if command:
        lan.do("ada", command)
    else:
        lan.unplug("ada")
    report = Report(lan, "ada")
    assert report.wrong == ["lan0"] and report.says("lan0", *words)


@pytest.mark.netns
@pytest.mark.parametrize(
    ("direction", "words"),
    [("input", ("does not come back in", "allow UDP port 5353")), ("output", ("cannot be sent", "allow multicast"))],
)
def test_multicast_that_is_kept_out_or_in(make: MakeLan, direction: str, words: tuple[str, ...]) -> None:
    """By a firewall here, in either direction."""
    lan, _ = make("ada")
    lan.firewall("ada", direction, "udp dport 5353 drop")
    report = Report(lan, "ada")
    assert report.wrong == ["lan0"] and report.says("lan0", *words)


@pytest.mark.netns
def test_a_firewall_that_lets_out_and_not_in(make: MakeLan) -> None:
    """ "I can reach out, nobody reaches me"; seen from the other side it is no fault of that side."""
    lan, stage = make("ada", "bob", "cyd")
    lan.firewall("ada", "input", "tcp dport 4471 drop")
    lobby(lan, stage, "bob")
    report = Report(lan, "ada")
    assert report.wrong == ["reach me"]
    assert report.says("reach me", "I can reach out, nobody reaches me", "allow this TCP port", "let the others host")
    lobby(lan, stage, "ada")
    report = Report(lan, "cyd")
    assert report.code == 0 and report.state("reach them") == "??" and report.state("reach me") == "ok"
    assert report.says("reach them", "ada at", "no answer in time", "allow the TCP port")


@pytest.mark.netns
def test_where_the_network_hides_people(make: MakeLan) -> None:
    """Multicast comes back to us and reaches nobody: nothing is wrong here, and a typed address is the way."""
    lan, stage = make("ada", "bob", multicast=False)
    lobby(lan, stage, "bob")
    report = Report(lan, "ada", lan.address("bob"))
    assert report.code == 0 and report.state("address") == "ok"
    assert report.state("people") == "??" and report.says("people", "nobody else was found", "type addresses")


@contextmanager
def taken(lan: Lan, host: str, port: int) -> Iterator[None]:
    """Some other program listens there."""
    script = f"import socket, time; s = socket.create_server(('0.0.0.0', {port})); print(flush=True); time.sleep(60)"
    with subprocess.Popen([*lan.at(host), sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield
        process.kill()


@pytest.mark.netns
def test_a_port_that_is_taken(make: MakeLan) -> None:
    """By another program, which is named as the cause; by lantable itself, which is as it should be."""
    lan, stage = make("ada")
    with taken(lan, "ada", 4471):
        report = Report(lan, "ada")
        assert report.wrong == ["port"]
        assert report.says("port", "TCP port 4471 is taken by another program", "HOST:4472", "--port N")
        assert Report(lan, "ada", "--port", "5000").code == 0
    lobby(lan, stage, "ada")
    report = Report(lan, "ada")
    assert report.code == 0 and report.says("port", "a lantable runs here", "close it first")


@pytest.mark.netns
def test_an_address_where_nobody_answers(make: MakeLan) -> None:
    """The typed one is wrong, or its host is: said so, and 1."""
    lan, _ = make("ada", "bob")
    report = Report(lan, "ada", f"{lan.address('bob')}:4471")
    assert report.wrong == ["address"] and report.says(
        "address", "10.9.0.2:4471: Connection refused", "is lantable running"
    )


def test_it_needs_no_home_and_makes_none(tmp_path: Path) -> None:
    """One line a check, in words; a slip in the address is a usage error."""
    desk = Desk(tmp_path / "home")
    done = desk("doctor", "--port", "0")
    assert done.code in (0, 1) and all(line[:4].strip() in ("ok", "FAIL", "??") for line in done.lines[:-1])
    assert desk("doctor", "nowhere").code == 2
    assert not (tmp_path / "home").exists()


def test_a_useless_interface_is_wrong_only_if_there_is_no_other() -> None:
    """A second socket without a cable is no reason to worry; a VPN is worth a remark."""
    good = Nic("lan0", (), failures=((4, ""),))
    dead, vpn = Nic("lan1", (), link="no cable"), Nic("tun0", (), tunnel=True, failures=((4, ""),))
    assert [check.state for check in check_nics([good, dead, vpn])] == ["ok", "??", "??"]
    assert [check.state for check in check_nics([dead])] == ["FAIL"]


def test_what_linux_says_of_an_interface(tmp_path: Path) -> None:
    """Elsewhere there is no such folder, and nothing is said."""
    assert link_trouble(tmp_path / "none") == "" and not is_tunnel(tmp_path / "none")
    for carrier, word in (("1\n", ""), ("0\n", "no cable, or not in a Wi-Fi")):
        (tmp_path / "carrier").write_text(carrier)
        assert link_trouble(tmp_path) == word
    (tmp_path / "flags").write_text("0x1091\n")
    assert is_tunnel(tmp_path)
