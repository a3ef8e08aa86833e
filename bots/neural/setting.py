"""The setting `network` of a bot: one of those that come with the program, or a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from cornered.bots.bot import Setting, SettingValue
from cornered.bots.neural.network import NETWORK_KINDS, Network, NetworkKind
from cornered.bots.neural.weights import NETWORK_SUFFIX, opened, shipped, shipped_path

__all__ = ["NETWORK_SETTING", "NetworkSetting", "resolve"]


@dataclass(frozen=True, slots=True)
class NetworkSetting(Setting):
    """One of `choices`, or the name of a file that ends with .npz."""

    def check(self, value: SettingValue) -> SettingValue:
        text = str(value)
        if text in self.choices:
            return text
        if text.endswith(NETWORK_SUFFIX):
            opened(Path(text))
            return text
        raise ValueError(f"{self.name} is {self.range}, not {value!r}")

    @property
    def range(self) -> str:
        return f"one of {', '.join(self.choices)}, or a file of weights ({NETWORK_SUFFIX})"

    def brief(self, value: SettingValue) -> str:
        text = str(value)
        return Path(text).stem if text.endswith(NETWORK_SUFFIX) else text


NETWORK_SETTING: Final = NetworkSetting("network", "Which network it follows", "dense", choices=NETWORK_KINDS)


def resolve(value: SettingValue, radius: int) -> Network:
    """Return the network of a checked setting for a board. Raises a ValueError that says how to make one where there
    is none."""
    text = str(value)
    if text.endswith(NETWORK_SUFFIX):
        network = opened(Path(text)).network
        if not network.plays(radius):
            raise ValueError(f"the network of {text} plays on radius {network.radius} only, not on {radius}")
        return network
    kind = cast(NetworkKind, text)
    trained = shipped(radius, kind)
    if trained is None:
        raise ValueError(
            f"no {kind} network was trained for radius {radius}; `cornered train bamboo-neural --network {kind} "
            f"--radius {radius}` makes one for {shipped_path(radius, kind)}"
        )
    return trained.network
