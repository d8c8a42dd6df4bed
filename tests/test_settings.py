"""What is set, by whom, and the file it is kept in; and the log, which may be shown to anybody."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.errors import Misuse
from lantable.game import OptionValue
from lantable_console.cli import has_settings
from lantable_console.diary import EVENTS, FILE, FULL, KEPT, Diary, formed
from lantable_console.settings import BY_NAME, SETTINGS, USUAL, Settings, config_file, template, toml, write_setting
from tests.cli import DOTS, SCRABBLE, Desk, run
from tests.programs import Stage


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "config.toml"


def written(file: Path, text: str) -> Path:
    """The person's file with this text."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def loaded(
    file: Path | None = None, text: str = "", arguments: Mapping[str, object] | None = None, **env: str
) -> Settings:
    """The settings with a file of this text, this environment and these arguments."""
    if file is not None:
        written(file, text)
    return found({"LANTABLE_CONFIG": "" if file is None else str(file), **env}, arguments)


def found(environ: Mapping[str, str], arguments: Mapping[str, object] | None = None) -> Settings:
    return Settings.load(arguments or {}, environ)


# -- who wins


def test_an_option_wins_over_the_environment_over_the_file_over_what_is_usual(file: Path) -> None:
    """And each says from where it comes."""
    text = 'theme = "light"\nidle_cap = 5\nbell = true\n'
    settings = loaded(
        file, text, arguments={"theme": "contrast", "set": ["mouse=yes"]}, LANTABLE_THEME="dark", LANTABLE_IDLE_CAP="7"
    )
    assert {name: (one.value, one.origin) for name, one in settings.values.items() if one.origin != USUAL} == {
        "theme": ("contrast", "--theme"),
        "idle_cap": (7, "LANTABLE_IDLE_CAP"),
        "bell": (True, str(file)),
        "mouse": (True, "--set"),
    }
    assert settings.warnings == ()


def test_every_setting_can_come_from_each_place(file: Path) -> None:
    """Option, environment, file: the same values."""
    other: dict[str, OptionValue] = {
        "lang": "tr",
        "theme": "light",
        "idle_cap": 9,
        "port": 5000,
        "home": "/h",
        "plugins": "a b",
    }
    for setting in SETTINGS:
        value = other.get(setting.name, True)
        text = "yes" if value is True else str(value)
        variable = {f"LANTABLE_{setting.name.upper()}": text}
        for settings in (
            loaded(arguments={"set": [f"{setting.name}={text}"]}),
            found({**variable, "LANTABLE_CONFIG": ""}),
            loaded(file, f"{setting.name} = {toml(value)}\n"),
        ):
            assert settings.values[setting.name].value == value, setting.name
            assert settings.warnings == ()


def test_what_is_wrong_is_told_and_left_out(file: Path) -> None:
    """An unknown key with the nearest one; a wrong value with what it may be. The rest counts."""
    settings = loaded(file, 'thme = "light"\nmouse = 1\nbell = true\n[log]\nx = 1\n', LANTABLE_IDLE_CAP="soon")
    assert settings.flag("bell") and not settings.flag("mouse") and settings.number("idle_cap") == 2
    one, two, three, four = settings.warnings
    assert one.startswith(f"{file}: there is no setting 'thme'") and "theme" in one
    assert "mouse must be yes or no" in two and "there is no setting 'log'" in three
    assert four.startswith("LANTABLE_IDLE_CAP: idle_cap must be a whole number")


@pytest.mark.parametrize("text", ["theme = ", "\x00", 'a = "', "a = 1\na = 2", "[[[[", "\ud800"])
def test_a_file_that_is_no_toml_is_one_warning(file: Path, text: str) -> None:
    """The program starts all the same."""
    file.parent.mkdir()
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    (warning,) = Settings.load({}, {"LANTABLE_CONFIG": str(file)}).warnings
    assert warning.startswith(f"{file} cannot be read: ")


def test_wrong_arguments_are_refused(file: Path) -> None:
    """They were typed just now, so they can be typed again."""
    wrong: list[Mapping[str, object]] = [{"set": ["theme"]}, {"set": ["thme=light"]}, {"theme": "pink"}]
    for arguments in [*wrong, {"set": ["idle_cap=-1"]}]:
        with pytest.raises(Misuse):
            loaded(arguments=arguments)
    assert "theme must be dark or light or contrast" in run("--theme", "pink", "id", "show").error


def test_the_file_lies_where_the_system_has_such_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As platformdirs says; and the quick look before it never misses a file that is there."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = config_file({})
    assert path == Path(platformdirs.user_config_dir("lantable", appauthor=False)) / "config.toml"
    assert not has_settings({"XDG_CONFIG_HOME": str(tmp_path)})
    written(path, "")
    assert has_settings({"XDG_CONFIG_HOME": str(tmp_path)})
    assert config_file({"LANTABLE_CONFIG": ""}) is None and not has_settings({"LANTABLE_CONFIG": ""})


# -- the file


def test_the_first_setting_makes_a_file_that_explains_them_all(file: Path) -> None:
    """Each with its meaning and what is usual, none of it in force but the one that was set."""
    assert write_setting(file, "theme", "light") == 'theme = "light"'
    text = file.read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"theme": "light"}
    for setting in SETTINGS:
        assert f"# {setting.name} = " in text or setting.name == "theme"
        assert setting.title.split(";")[0].split(",")[0] in " ".join(text.replace("\n# ", " ").split())
    assert text.index("# the colours") < text.index('theme = "light"') < text.index("# unicode")


def test_setting_one_thing_leaves_all_else_as_it_was(file: Path) -> None:
    """Comments, order, tables of others, and a value over several lines."""
    old = '# mine\n\nmouse = true  # no touch\nplugins = """a\nb"""\n\n[later]\nx = 1\n'
    written(file, old)
    write_setting(file, "bell", "yes")
    assert file.read_text() == f"bell = true\n{old}"
    write_setting(file, "mouse", "no")
    write_setting(file, "plugins", "c")
    assert file.read_text() == 'bell = true\n# mine\n\nmouse = false  # no touch\nplugins = "c"\n\n[later]\nx = 1\n'


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_every_text_comes_back_from_the_file(text: str) -> None:
    """Whatever signs are in it."""
    assert tomllib.loads(f"home = {toml(text)}") == {"home": text}
    assert tomllib.loads(template()) == {}


def test_a_file_that_cannot_be_read_is_not_written_over(file: Path) -> None:
    """It may hold hours of somebody's care."""
    written(file, "theme = \n")
    with pytest.raises(Misuse, match="cannot be read"):
        write_setting(file, "theme", "light")
    assert file.read_text() == "theme = \n"


def test_a_file_that_is_a_link_stays_one(file: Path, tmp_path: Path) -> None:
    """People keep such files elsewhere."""
    target = written(tmp_path / "mine" / "lantable.toml", "")
    file.parent.mkdir()
    file.symlink_to(target)
    write_setting(file, "bell", "yes")
    assert file.is_symlink() and tomllib.loads(target.read_text()) == {"bell": True}


def test_the_command_shows_sets_and_finds(file: Path) -> None:
    """`config show` prints what the file could hold; `--origin` says from where; `config set` keeps it."""
    env = {"LANTABLE_CONFIG": str(file)}
    shown = tomllib.loads(run("config", "show", **env).out)
    assert shown == {name: setting.default for name, setting in BY_NAME.items()}
    assert run("config", "path", **env).lines == [str(file)]
    assert run("config", "set", "theme", "light", **env).lines == [f'theme = "light" is written to {file}']
    assert f'theme = "light"  # {file}' in run("config", "show", "--origin", **env).lines
    assert "bell = true  # LANTABLE_BELL" in run("config", "show", "--origin", LANTABLE_BELL="on", **env).lines
    assert run("config", "set", "theme", "dark", LANTABLE_THEME="light", **env).lines[1] == (
        "but LANTABLE_THEME says otherwise now, and wins"
    )
    assert "theme" in run("config", "set", "them", "light", **env).error
    assert run("config", "set", "x", "1", LANTABLE_CONFIG="").code == 2


def test_what_is_set_is_in_force(file: Path, tmp_path: Path) -> None:
    """Home and plugins of the file are those of a command; a warning goes to stderr and harms nothing."""
    written(file, f'home = {toml(str(tmp_path / "house"))}\nplugins = ""\nplian = true\n')
    done = run("id", "name", "Ada", LANTABLE_CONFIG=str(file))
    assert done.code == 0 and "'plian'" in done.error
    assert (tmp_path / "house" / "key.json").exists()
    assert run("plugins", "list", LANTABLE_CONFIG=str(file)).out.startswith("no plugin is loaded")


# -- the log


LINE = re.compile(r"[0-9-]{10} [0-9:,]{12} [a-z_]+( [a-z]+=[A-Za-z0-9_.:<>/?-]+)*")


def diary_of(home: Path) -> list[str]:
    """The lines of a home's log, each in the one form there is."""
    lines = (home / "log" / FILE).read_text(encoding="ascii").splitlines()
    assert all(LINE.fullmatch(line) for line in lines), lines
    return [line[24:] for line in lines]


def test_a_game_leaves_its_traces_and_nothing_that_was_hidden(tmp_path: Path) -> None:
    """When it ran, under what rules, how far it came: no rack, no move, no name, no seed."""
    with Stage(tmp_path) as stage:
        ada = stage.start("ada", "--plugin", SCRABBLE, "play", "binary-scrabble", "--seed", "5", LANTABLE_PLUGINS="")
        ada.expect("begins")
        ada.type("board", "pass", "board", "resign")
        assert ada.ends() == 0
    began, game, over, ended = diary_of(tmp_path / "ada")
    assert re.fullmatch(r"began version=\S+ command=play python=3\.\S+ system=\w+", began)
    assert re.fullmatch(r"game_began game=[0-9a-f]{8} plugin=binary-scrabble seats=2", game)
    assert re.fullmatch(r"game_over game=[0-9a-f]{8} events=\d+", over) and ended == "ended"


@given(st.sampled_from(sorted(EVENTS)), st.text(max_size=60) | st.binary(max_size=40) | st.integers())
def test_nothing_but_the_form_of_a_field_gets_into_the_log(event: str, value: object) -> None:
    """Whatever a caller hands over: what has not the form of its field is a question mark."""
    Diary(Path(os.devnull) / "nowhere").note(event, **dict.fromkeys(EVENTS[event], value))
    kept = [formed(name, value) for name in EVENTS[event]]
    assert all(re.fullmatch(r"[A-Za-z0-9_.:<>?-]+", part) for part in kept)


def test_racks_and_secrets_have_no_form() -> None:
    """Tiles, moves, seeds, whole keys and sentences are none of the words a field may hold."""
    for secret in ("1 1 0 + =", "8D 1+1=10", "1+=", "a" * 64, "Ada says hello", "1&0", "Çağrı"):
        assert all(formed(name, secret) == "?" for fields in EVENTS.values() for name in fields)


def test_an_event_has_its_own_fields_and_no_others(tmp_path: Path) -> None:
    """A field too many would be a hole."""
    diary = Diary(tmp_path)
    with pytest.raises(KeyError):
        diary.note("ended", rack="1")
    with pytest.raises(KeyError):
        diary.note("said")
    diary.close()


def test_the_log_turns_over(tmp_path: Path) -> None:
    """It never grows beyond a few files of a known size."""
    diary = Diary(tmp_path)
    for _ in range((KEPT + 3) * FULL // 60):
        diary.note("game_over", game="00112233", events=12)
    diary.close()
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [FILE, *(f"{FILE}.{n}" for n in range(1, KEPT + 1))]
    assert all(path.stat().st_size <= FULL for path in tmp_path.iterdir())


def test_a_fault_is_its_class_and_its_way(tmp_path: Path) -> None:
    """Never its text, which may quote a rack."""
    diary = Diary(tmp_path / "log")
    try:
        Settings.usual().values["the rack is 1 1 0"]
    except KeyError as error:
        diary.bug(error)
    diary.close()
    (line,) = diary_of(tmp_path)
    assert line.startswith("bug kind=KeyError where=test_settings.py:") and "rack is" not in line


def test_an_error_is_noted_and_a_full_disk_silences_only_the_log(tmp_path: Path) -> None:
    """A home that cannot hold a log still plays."""
    desk = Desk(tmp_path, plugins=(DOTS,))
    (tmp_path / "log").write_text("a file where the folder should be")
    assert desk("play", "dots-and-boxes", "--auto", "easy", "--rules", "size=1x1").code == 0
