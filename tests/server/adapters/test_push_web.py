"""Push messages: the example of RFC 8291, whom they are sent to and whom never, and what becomes of them."""

from __future__ import annotations

import time

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from cornered.server.adapters import push_web
from cornered.server.adapters.push_web import WebPush, encrypt, new_private_key
from cornered.server.settings import PUSH_HOSTS
from cornered.server.social.ports import Device
from tests.server.push_service import Browser, PushService, decoded, encoded, push_service

AUTH = "AAAAAAAAAAAAAAAAAAAAAA"


def sender(*origins: str, hosts: tuple[str, ...] = PUSH_HOSTS, contact: str = "") -> WebPush:
    return WebPush(new_private_key(), hosts=hosts, origins=origins, contact=contact)


def device(endpoint: str, browser: Browser | None = None) -> Device:
    return Device(endpoint, **(browser or Browser()).keys, label="", created=0)


def test_a_message_is_encrypted_as_in_the_example_of_the_standard() -> None:
    """RFC 8291, section 5 and appendix A."""
    private = decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    sealed = encrypt(
        b"When I grow up, I want to be a watermelon",
        decoded("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
        decoded("BTBZMqHH6r4Tts7J_aSIgg"),
        key=ec.derive_private_key(int.from_bytes(private, "big"), ec.SECP256R1()),
        salt=decoded("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert encoded(sealed) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


async def test_a_browser_reads_what_was_sent_and_the_service_knows_who_sent_it() -> None:
    async with push_service() as service:
        push, browser = sender(service.origin, contact="mailto:operator@example.org"), Browser()
        for _ in range(2):
            to = device(f"{service.endpoint()}?key=1", browser)
            assert await push.send(to, b'{"kind": "turn"}', topic="turn-m1", ttl=60) == "sent"
        first, second = service.received
        assert (first.target, first.headers["ttl"], first.headers["topic"]) == ("/send/one?key=1", "60", "turn-m1")
        assert browser.read(first.body) == {"kind": "turn"}
        # The same words look different each time.
        assert first.body != second.body
        claims = first.claims()
        assert claims["aud"] == service.origin
        assert (claims["sub"], claims["key"]) == ("mailto:operator@example.org", push.public_key)
        assert 0 < claims["exp"] - time.time() <= 24 * 60 * 60


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/fcm/send/x",
        "https://example.org/push",
        "https://fcm.googleapis.com.example.org/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com@example.org/x",
        "https://user:password@fcm.googleapis.com/x",
        "https://xfcm.googleapis.com/x",
        "https://push.apple.com.evil.example/x",
        "https://127.0.0.1/x",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/x",
        "https://localhost/x",
        "http://127.0.0.1:8420/x",
        "https://fcm.googleapis.com:port/x",
        "https:///x",
        "ftp://fcm.googleapis.com/x",
        "file:///etc/passwd",
        "https://fcm.googleapis.com/x\r\nHost: example.org",
        "https://fcm.googleapis.com/a b",
        "https://fcm.googleapis.com/ümlaut",
    ],
)
async def test_hostile_endpoints_are_refused_and_nothing_is_sent_to_them(endpoint: str) -> None:
    push = sender("http://127.0.0.1:9000")
    with pytest.raises(ValueError, match=r"endpoint|push service"):
        push.check(device(endpoint))
    assert await push.send(device(endpoint), b"{}", topic="t", ttl=1) == "failed"


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/abc:def-ghi",
        "https://FCM.googleapis.com/x",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
        "https://web.push.apple.com/QGuQ",
        "https://wns2-par02p.notify.windows.com/w/?token=BQYA%2b",
    ],
)
def test_the_push_services_of_browsers_are_known(endpoint: str) -> None:
    push = sender()
    push.check(device(endpoint))
    assert push._address(endpoint).port == 443


@pytest.mark.parametrize("point", ["A" * 87, encoded(b"\x04" + b"\1" * 64), encoded(b"\x02" + b"\1" * 64)])
def test_what_is_no_public_key_is_refused(point: str) -> None:
    with pytest.raises(ValueError, match="no public key"):
        sender().check(Device("https://fcm.googleapis.com/x", point, AUTH, "", 0))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_a_known_host_with_an_address_that_is_not_public_gets_nothing(
    host: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert await sender(hosts=(host,)).send(device(f"https://{host}/x"), b"{}", topic="t", ttl=1) == "failed"


@pytest.mark.parametrize(
    ("address", "is_public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.0.0.7", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.7", False),
        ("::ffff:127.0.0.1", False),
    ],
)
def test_addresses_of_private_networks_are_told_apart(address: str, is_public: bool) -> None:
    assert push_web._is_public(address) is is_public


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("200 OK", "sent"),
        ("404 Not Found", "gone"),
        ("410 Gone", "gone"),
        ("307 Temporary Redirect", "failed"),
        ("429 Too Many Requests", "failed"),
        ("500 Internal Server Error", "failed"),
        ("banana", "failed"),
    ],
)
async def test_the_answer_says_what_became_of_a_message_and_leads_nowhere_else(status: str, outcome: str) -> None:
    async with push_service() as service:
        service.status = status
        assert await sender(service.origin).send(device(service.endpoint()), b"{}", topic="t", ttl=1) == outcome
        assert len(service.received) == 1


async def test_a_service_that_does_not_answer_or_is_not_there_costs_bounded_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(push_web, "SEND_SECONDS", 0.1)
    async with push_service() as service:
        service.is_silent = True
        push, to = sender(service.origin), device(service.endpoint())
        assert await push.send(to, b"{}", topic="t", ttl=1) == "failed"
    assert await push.send(to, b"{}", topic="t", ttl=1) == "failed"


@pytest.mark.parametrize(
    "given", [{"contact": "operator"}, {"origins": ("127.0.0.1:9000",)}, {"origins": ("ftp://x",)}]
)
def test_settings_that_make_no_sense_are_named(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"CONTACT|ORIGINS"):
        WebPush(new_private_key(), **given)  # type: ignore[arg-type]


def test_a_private_key_is_one_of_the_curve() -> None:
    assert {len(new_private_key()) for _ in range(8)} == {32}
    assert PushService().received == []
