from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cornered.clients.sdk import TokenStore


@pytest.fixture
def store(tmp_path: Path) -> TokenStore:
    return TokenStore(tmp_path / "deep" / "tokens.json")


def test_a_token_is_kept_for_each_server_and_name_until_it_is_forgotten(store: TokenStore) -> None:
    store.put("ws://one", "ann", "first")
    store.put("ws://one", "bob", "second")
    store.put("ws://two", "ann", "third")
    store.put("ws://one", "ann", "newer")
    again = TokenStore(store.path)
    assert again.get("ws://one", "ann") == "newer"
    assert again.get("ws://one", "bob") == "second"
    assert again.get("ws://two", "ann") == "third"
    assert again.get("ws://two", "bob") is None

    store.put("ws://one", "ann", "first")
    store.forget("ws://one", "ann")
    store.forget("ws://one", "never-there")
    assert store.get("ws://one", "ann") is None


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_no_other_user_can_read_the_tokens(store: TokenStore) -> None:
    store.put("ws://one", "ann", "first")
    store.path.chmod(0o644)
    store.put("ws://one", "bob", "second")
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in store.path.parent.iterdir()] == ["tokens.json"]


def test_a_damaged_file_is_an_empty_one(store: TokenStore) -> None:
    store.put("ws://one", "ann", "first")
    store.path.write_text("{")
    assert store.get("ws://one", "ann") is None
    store.put("ws://one", "ann", "second")
    assert store.get("ws://one", "ann") == "second"


def test_the_store_of_one_place_asks_for_no_address(store: TokenStore) -> None:
    TokenStore(store.path, place="house").put("ws://127.0.0.1:1", "ann", "first")
    house = TokenStore(store.path, place="house")
    assert house.get("ws://127.0.0.1:2", "ann") == "first"
    house.forget("ws://127.0.0.1:3", "ann")
    assert house.get("ws://127.0.0.1:1", "ann") is None


def test_a_token_is_found_under_every_spelling_of_the_address(store: TokenStore) -> None:
    store.put("ws://localhost:8420", "ann", "first")
    for url in ("http://LOCALHOST:8420/", "ws://localhost:8420/ws", "http://localhost:8420"):
        assert store.get(url, "ann") == "first"
    assert store.get("ws://127.0.0.1:8420", "ann") is None
    store.put("http://localhost:8420/", "ann", "second")
    assert store.get("ws://localhost:8420", "ann") == "second"
    store.forget("ws://Localhost:8420/ws", "ann")
    assert store.get("ws://localhost:8420", "ann") is None


def test_a_file_of_an_earlier_version_is_still_read(store: TokenStore) -> None:
    store.path.parent.mkdir(parents=True)
    old = {
        "ws://LOCALHOST:8420": {"ann": "older", "bob": "his"},
        "http://localhost:8420/": {"ann": "newer"},
        "house": {"champion": "ours"},
    }
    store.path.write_text(json.dumps(old))
    assert store.get("ws://localhost:8420", "ann") == "newer"
    assert store.get("ws://localhost:8420", "bob") == "his"
    assert TokenStore(store.path, place="house").get("ws://127.0.0.1:1", "champion") == "ours"
