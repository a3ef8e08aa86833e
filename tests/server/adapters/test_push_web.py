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


async def test_hostile_endpoints_are_refused_and_nothing_is_sent_to_them(subtests: pytest.Subtests) -> None:
    push = sender("http://127.0.0.1:9000")
    text = """http://fcm.googleapis.com/fcm/send/x https://example.org/push https://fcm.googleapis.com.example.org/x
        https://fcm.googleapis.com:8443/x https://fcm.googleapis.com@example.org/x
        https://user:password@fcm.googleapis.com/x https://xfcm.googleapis.com/x https://push.apple.com.evil.example/x
        https://127.0.0.1/x https://169.254.169.254/latest/meta-data https://[::1]/x https://localhost/x
        http://127.0.0.1:8420/x https://fcm.googleapis.com:port/x https:///x ftp://fcm.googleapis.com/x
        file:///etc/passwd https://fcm.googleapis.com/ümlaut"""
    hostile = text.split()
    hostile += ["https://fcm.googleapis.com/x\r\nHost: example.org", "https://fcm.googleapis.com/a b"]
    for endpoint in hostile:
        with subtests.test(endpoint=endpoint):
            with pytest.raises(ValueError, match=r"endpoint|push service"):
                push.check(device(endpoint))
            assert await push.send(device(endpoint), b"{}", topic="t", ttl=1) == "failed"


def test_the_push_services_of_browsers_are_known() -> None:
    push = sender()
    text = """https://fcm.googleapis.com/fcm/send/abc:def-ghi https://FCM.googleapis.com/x
            https://updates.push.services.mozilla.com/wpush/v2/gAAA https://web.push.apple.com/QGuQ
            https://wns2-par02p.notify.windows.com/w/?token=BQYA%2b"""
    for endpoint in text.split():
        push.check(device(endpoint))
        assert push._address(endpoint).port == 443


def test_what_is_no_public_key_is_refused() -> None:
    for point in ("A" * 87, encoded(b"\x04" + b"\1" * 64), encoded(b"\x02" + b"\1" * 64)):
        with pytest.raises(ValueError, match="no public key"):
            sender().check(Device("https://fcm.googleapis.com/x", point, AUTH, "", 0))


async def test_a_known_host_with_an_address_that_is_not_public_gets_nothing() -> None:
    for host in ("localhost", "127.0.0.1"):
        assert await sender(hosts=(host,)).send(device(f"https://{host}/x"), b"{}", topic="t", ttl=1) == "failed"
    text = """10.0.0.7 172.16.0.1 192.168.1.1 100.64.0.1 169.254.169.254 127.0.0.1 0.0.0.0 224.0.0.1 ::1 fe80::1%eth0
        fd00::1 ::ffff:10.0.0.7 ::ffff:127.0.0.1"""
    private = text.split()
    public = ["8.8.8.8", "2606:4700::1111"]
    assert [address for address in (*public, *private) if push_web._is_public(address)] == public


async def test_the_answer_says_what_became_of_a_message_and_leads_nowhere_else() -> None:
    outcomes = {
        "200 OK": "sent",
        "404 Not Found": "gone",
        "410 Gone": "gone",
        "307 Temporary Redirect": "failed",
        "429 Too Many Requests": "failed",
        "500 Internal Server Error": "failed",
        "banana": "failed",
    }
    found = {}
    async with push_service() as service:
        push = sender(service.origin)
        for service.status in outcomes:
            found[service.status] = await push.send(device(service.endpoint()), b"{}", topic="t", ttl=1)
        assert len(service.received) == len(outcomes)
    assert found == outcomes


async def test_a_service_that_does_not_answer_or_is_not_there_costs_bounded_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(push_web, "SEND_SECONDS", 0.1)
    async with push_service() as service:
        service.is_silent = True
        push, to = sender(service.origin), device(service.endpoint())
        assert await push.send(to, b"{}", topic="t", ttl=1) == "failed"
    assert await push.send(to, b"{}", topic="t", ttl=1) == "failed"


def test_settings_that_make_no_sense_are_named() -> None:
    for given in ({"contact": "operator"}, {"origins": ("127.0.0.1:9000",)}, {"origins": ("ftp://x",)}):
        with pytest.raises(ValueError, match=r"CONTACT|ORIGINS"):
            WebPush(new_private_key(), **given)


def test_a_private_key_is_one_of_the_curve() -> None:
    assert {len(new_private_key()) for _ in range(8)} == {32}
    assert PushService().received == []
