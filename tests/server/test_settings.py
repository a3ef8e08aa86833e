"""What a host may set, where it may be written, and what a wrong setting says."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.settings import SettingsError, load_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PORT", "HOST", "DATABASE", "CONFIG", "ORIGINS", "MQTT", "NODE"):
        monkeypatch.delenv(f"CORNERED_{name}", raising=False)
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


def test_a_setting_that_does_not_exist_is_refused_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "cornered.toml").write_text("prot = 1\n")
    with pytest.raises(SettingsError, match="CORNERED_PROT"):
        load_settings()


def test_a_broken_or_missing_file_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cornered.toml").write_text("port = \n")
    with pytest.raises(SettingsError, match=r"^the settings cannot be read: .*$"):
        load_settings()
    monkeypatch.setenv("CORNERED_CONFIG", str(tmp_path / "nowhere.toml"))
    with pytest.raises(SettingsError, match="CORNERED_CONFIG"):
        load_settings()
