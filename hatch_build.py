"""Build hook: an editable installation of the checkout gets links from the import root `cornered` to the top-level
folders. The wheel holds copies under the same names. Both use one table, `tool.hatch.build.targets.wheel.sources`."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LinkFolders(BuildHookInterface[Any]):
    """Creates `cornered/engine` as a link to `engine`, and so on."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Create the missing links. `version` is "editable" when the checkout is installed in place."""
        if version != "editable":
            return
        root = Path(self.root)
        for folder, target in self.build_config.build_config["targets"]["wheel"]["sources"].items():
            link(root / folder, root / target)


def link(folder: Path, name: Path) -> None:
    """Make `name` a link to `folder`, replacing an existing link. A junction on Windows, which needs no privilege;
    elsewhere a relative symbolic link, which survives moving the checkout."""
    if os.path.lexists(name):
        if name.resolve() == folder.resolve():
            return
        name.unlink()
    if os.name == "nt":
        import _winapi

        _winapi.CreateJunction(str(folder), str(name))
    else:
        name.symlink_to(os.path.relpath(folder, name.parent), target_is_directory=True)
