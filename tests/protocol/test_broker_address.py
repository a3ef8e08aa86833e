"""Addresses of brokers: what they name, and what is wrong with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cornered.protocol.broker_address import BrokerAddress


def test_a_broker_is_named_by_an_address() -> None:
    for url, broker in (
        ("mqtt://host", BrokerAddress("host", 1883, None, None, tls=False)),
        ("mqtts://a%40b:p%2Fw@host", BrokerAddress("host", 8883, "a@b", "p/w", tls=True)),
        ("mqtt://[::1]:9", BrokerAddress("::1", 9, None, None, tls=False)),
    ):
        assert BrokerAddress.parse(url) == broker
        assert broker.password is None or broker.password not in repr(broker)


def test_what_is_wrong_with_an_address_is_said(subtests: pytest.Subtests) -> None:
    others = ("", "host:1883", "http://host", "mqtt://", "mqtt://host/path", "mqtt://host:many")
    for url, what in (
        *((url, "a broker is mqtt://") for url in others),
        ("mqtts://host?ca=/nowhere/ca.pem", "there is no file '/nowhere/ca.pem'"),
        ("mqtt://host?ca=/nowhere/ca.pem", "of mqtts:// alone"),
        ("mqtts://host?key=x", "the only parameter"),
    ):
        with subtests.test(url), pytest.raises(ValueError, match=re.escape(what)):
            BrokerAddress.parse(url)


def test_an_authority_without_a_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(ValueError, match="cannot be read as the broker's CA certificate"):
        BrokerAddress.parse(f"mqtts://host?ca={tmp_path}/ca.pem")
