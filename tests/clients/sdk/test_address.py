from __future__ import annotations

import socket

import pytest

from cornered.clients.sdk.address import normalised, require_listener, require_name, require_token, socket_url


def test_the_address_of_the_page_or_the_socket_or_the_listener_will_do(subtests: pytest.Subtests) -> None:
    for given, url in (
        ("ws://127.0.0.1:8420", "ws://127.0.0.1:8420"),
        ("http://[::1]:8420", "ws://[::1]:8420"),
        ("https://example.org/", "wss://example.org/"),
        ("127.0.0.1:8420", "ws://127.0.0.1:8420"),
        ("localhost:8420/ws", "ws://localhost:8420/ws"),
        ("[::1]:8420", "ws://[::1]:8420"),
    ):
        with subtests.test(given=given, url=url):
            assert socket_url(given) == url


def test_what_is_no_address_is_refused(subtests: pytest.Subtests) -> None:
    for wrong in (
        *("", "8420", "ws://", "ws://:8420", "ftp://host", "http://host:18420x", "ws://host:99999"),
        *("host", ":8420", "host:18420x", "host:99999", "host:0", "mailto:ann@example.org"),
    ):
        with subtests.test(wrong=wrong), pytest.raises(ValueError, match="looks like http://host:port"):
            socket_url(wrong)


def test_names_and_tokens_are_checked_before_they_are_sent() -> None:
    assert require_name("Ann Lee") == "Ann Lee"
    assert require_token("t" * 20) == "t" * 20
    assert require_name(" Ann  Lee ") == "Ann Lee"
    for wrong in ("", "  ", "x" * 25, "a\nb", "a\u202eb"):
        with pytest.raises(ValueError, match=r"a name (has|must not hold)"):
            require_name(wrong)
    with pytest.raises(ValueError, match="no token") as error:
        require_token("secret")
    assert "secret" not in str(error.value)


def test_a_missing_server_is_noticed_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        require_listener(f"ws://127.0.0.1:{port}")
    for typed in (f"http://127.0.0.1:{port}", f"127.0.0.1:{port}"):
        with pytest.raises(ValueError, match=f"no server listens at {typed} .*cornered serve"):
            require_listener(typed)


def test_every_spelling_of_an_address_has_one_key_and_what_is_none_has_no_key(subtests: pytest.Subtests) -> None:
    for given, key in (
        ("ws://localhost:8420", "ws://localhost:8420"),
        ("http://LOCALHOST:8420/", "ws://localhost:8420"),
        ("HTTP://localhost:8420/ws", "ws://localhost:8420"),
        ("ws://localhost:8420/ws/", "ws://localhost:8420"),
        ("ws://127.0.0.1:8420", "ws://127.0.0.1:8420"),
        ("http://example.org:80", "ws://example.org"),
        ("https://Example.org:443/ws", "wss://example.org"),
        ("wss://example.org", "wss://example.org"),
        ("ws://example.org:443", "ws://example.org:443"),
        ("http://[::1]:8420/", "ws://[::1]:8420"),
        ("https://example.org/games/ws", "wss://example.org/games"),
        ("https://ann:secret@example.org", "wss://example.org"),
        ("LOCALHOST:8420", "ws://localhost:8420"),
    ):
        with subtests.test(given=given, key=key):
            assert normalised(given) == key
            assert normalised(key) == key

    with pytest.raises(ValueError, match="looks like http://host:port"):
        normalised("house")
