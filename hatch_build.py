"""Puts the top-level folders under the import root `cornered` when the checkout itself is installed (`--editable`).

The wheel holds copies under the same names. Both follow one table, `tool.hatch.build.targets.wheel.sources`.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LinkFolders(BuildHookInterface[Any]):
    """Makes `cornered/engine` a link to `engine`, and so on."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the links that are missing. `version` is "editable" when the checkout is installed, not copied."""
        if version != "editable":
            return
        root = Path(self.root)
        for folder, target in self.build_config.build_config["targets"]["wheel"]["sources"].items():
            link(root / folder, root / target)


def link(folder: Path, name: Path) -> None:
    """Make `name` another name of `folder`, in place of whatever link was there.

    On Windows a junction, which needs no privilege; elsewhere a relative symbolic link, which survives a moved
    checkout.
    """
    if os.path.lexists(name):
        if name.resolve() == folder.resolve():
            return
        name.unlink()
    if os.name == "nt":
        import _winapi

        _winapi.CreateJunction(str(folder), str(name))
    else:
        name.symlink_to(os.path.relpath(folder, name.parent), target_is_directory=True)
