"""Stores players' tokens in a file of the user's data directory."""

from __future__ import annotations

import json
from pathlib import Path

import platformdirs

from cornered.clients.sdk.address import normalised
from cornered.engine.records.files import replacing

__all__ = ["TokenStore"]


class TokenStore:
    """A JSON file, readable by its owner alone, with one token for each server and player name.

    Servers are compared by `cornered.clients.sdk.address.normalised`. With a `place` the file is for one server,
    whatever its address. Methods raise ValueError for an invalid address.
    """

    def __init__(self, path: Path | None = None, *, place: str | None = None) -> None:
        self._place = place
        self.path = path or platformdirs.user_data_path("cornered") / "tokens.json"

    def get(self, server: str, name: str) -> str | None:
        """Return the token of the player called `name` on `server`, if there is one."""
        return self._read().get(self._key(server), {}).get(name)

    def put(self, server: str, name: str, token: str) -> None:
        """Store `token`, in place of an older one."""
        tokens = self._read()
        tokens.setdefault(self._key(server), {})[name] = token
        self._write(tokens)

    def forget(self, server: str, name: str) -> None:
        """Remove a token that the server does not know any more."""
        tokens = self._read()
        if tokens.get(self._key(server), {}).pop(name, None) is not None:
            self._write(tokens)

    def _key(self, server: str) -> str:
        return self._place or normalised(server)

    def _read(self) -> dict[str, dict[str, str]]:
        """Return the tokens by server and name; files of earlier versions have the addresses as they were typed."""
        try:
            written: dict[str, dict[str, str]] = json.loads(self.path.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        tokens: dict[str, dict[str, str]] = {}
        for server, kept in written.items():
            tokens.setdefault(_key_of(server), {}).update(kept)
        return tokens

    def _write(self, tokens: dict[str, dict[str, str]]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.path, mode=0o600) as part:
            part.write_text(json.dumps(tokens, indent=1), encoding="utf-8")


def _key_of(server: str) -> str:
    """Return the key of a server or place."""
    try:
        return normalised(server)
    except ValueError:
        return server
