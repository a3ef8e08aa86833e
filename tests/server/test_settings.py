"""Settings: valid values, their sources, and the messages for invalid ones."""

from __future__ import annotations

import os
import socket
from ipaddress import ip_network
from pathlib import Path

import pytest

from cornered.server.settings import SettingsError, load_settings, machine_name, with_analyst_key


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("CORNERED_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CORNERED_DATA", str(tmp_path))


def test_nothing_need_be_set(tmp_path: Path) -> None:
    settings = load_settings()
    assert (settings.host, settings.port, settings.durability) == ("127.0.0.1", 8420, "full")
    assert settings.database_url == f"sqlite+aiosqlite:///{tmp_path}/cornered.db"
    assert (settings.web / "index.html").name == "index.html"


def test_the_file_loses_to_the_environment_and_the_environment_to_arguments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cornered.toml").write_text('port = 1001\nnode = "file"\nhost = "0.0.0.0"\n')
    monkeypatch.setenv("CORNERED_PORT", "1002")
    monkeypatch.setenv("CORNERED_NODE", "environment")
    settings = load_settings(port=1003)
    assert (settings.port, settings.node, settings.host) == (1003, "environment", "0.0.0.0")


def test_a_node_is_called_like_its_machine(subtests: pytest.Subtests) -> None:
    for hostname, name in (
        ("fox", "fox"),
        ("fox.example.org", "fox-example-org"),
        ("-ü-", "node"),
        ("", "node"),
        ("a" * 32, "a" * 32),
    ):
        with subtests.test(hostname=hostname, name=name):
            assert machine_name(hostname) == name


def test_machines_whose_long_names_differ_at_the_end_are_two_nodes() -> None:
    names = {machine_name(f"cornered-server-in-a-large-group-{number}") for number in range(50)}
    assert len(names) == 50
    assert all(load_settings(node=name).node == name and name.startswith("cornered-server") for name in names)
    assert load_settings().node == machine_name(socket.gethostname())


def test_another_file_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text('origins = ["https://a.example", "https://b.example"]\n')
    monkeypatch.setenv("CORNERED_CONFIG", str(other))
    assert load_settings().origins == ("https://a.example", "https://b.example")


def test_a_list_in_the_environment_is_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORNERED_ORIGINS", "https://a.example, https://b.example")
    assert load_settings().origins == ("https://a.example", "https://b.example")


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "many"), ("PORT", "70000"), ("DURABILITY", "some"), ("NODE", "a/b"), ("MAX_PER_PLAYER", "0")],
)
def test_a_wrong_setting_is_one_line_that_names_it(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"CORNERED_{name}", value)
    with pytest.raises(SettingsError) as failure:
        load_settings()
    assert f"CORNERED_{name}: " in str(failure.value)
    assert repr(value) in str(failure.value)
    assert "\n" not in str(failure.value)


def test_proxies_are_addresses_and_networks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cornered.toml").write_text('proxies = ["10.0.0.7"]\n')
    assert load_settings().proxies == (ip_network("10.0.0.7/32"),)
    monkeypatch.setenv("CORNERED_PROXIES", "10.0.0.0/8, ::1")
    assert load_settings().proxies == (ip_network("10.0.0.0/8"), ip_network("::1/128"))


@pytest.mark.parametrize("value", ["1", "proxy", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.1, ,x"])
def test_proxies_that_are_no_addresses_are_one_line(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CORNERED_PROXIES", value)
    with pytest.raises(SettingsError, match=r"^CORNERED_PROXIES: '[^']*' is no address [^\n]*$"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "hint"),
    [("prot = 1", "'prot'; did you mean port?"), ("Mqtt = 1", "'Mqtt'; did you mean mqtt?"), ("[xyzzy]", "'xyzzy'")],
)
def test_a_setting_that_does_not_exist_is_refused_in_the_file(tmp_path: Path, text: str, hint: str) -> None:
    file = tmp_path / "cornered.toml"
    file.write_text(f"{text}\n")
    with pytest.raises(SettingsError) as failure:
        load_settings()
    assert str(failure.value) == f"{file}: there is no setting {hint}"


def test_a_variable_that_sets_nothing_is_named_in_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("PORT", "TOKEN", "KERNELS", "SERVER"):
        monkeypatch.setenv(f"CORNERED_{name}", "1")
    load_settings()
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("CORNERED_ORIGIN", "https://a.example")
    monkeypatch.setenv("CORNERED_XYZZY", "")
    load_settings()
    assert capsys.readouterr().err.splitlines() == [
        "warning: CORNERED_ORIGIN sets nothing; did you mean ORIGINS or PUSH_ORIGINS?",
        "warning: CORNERED_XYZZY sets nothing",
    ]


def test_a_file_may_come_from_any_editor(tmp_path: Path) -> None:
    (tmp_path / "cornered.toml").write_bytes(b"\xef\xbb\xbfport = 18599\r\n")
    assert load_settings().port == 18599


@pytest.mark.parametrize("content", [b"port = \n", b'node = "\xff"\n'])
def test_a_broken_or_missing_file_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "cornered.toml"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=rf"^{file} cannot be read: [^\n]*$"):
        load_settings()
    monkeypatch.setenv("CORNERED_CONFIG", str(tmp_path / "nowhere.toml"))
    with pytest.raises(SettingsError, match="CORNERED_CONFIG"):
        load_settings()


@pytest.mark.parametrize("key", ["short-secret", "long-secret" * 20])
def test_a_wrong_key_of_analysts_is_refused_without_telling_it(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("CORNERED_ANALYST_KEY", key)
    with pytest.raises(SettingsError) as failure:
        load_settings()
    assert "CORNERED_ANALYST_KEY: " in str(failure.value)
    assert "20 to 100" in str(failure.value)
    assert "secret" not in str(failure.value)


def test_a_key_of_analysts_is_made_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [with_analyst_key(load_settings()).analyst_key.get_secret_value() for _ in range(2)]
    assert made[0] != made[1]
    assert all(len(key) >= 40 for key in made)
    monkeypatch.setenv("CORNERED_ANALYST_KEY", "the-key-of-the-operator")
    settings = with_analyst_key(load_settings())
    assert settings.analyst_key.get_secret_value() == "the-key-of-the-operator"
    assert "the-key" not in repr(settings)
