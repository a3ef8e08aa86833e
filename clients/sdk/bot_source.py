"""The Python files of a bot's folder at one moment: it is loaded from them, however they are edited meanwhile."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from cornered.clients.sdk.bot_word import ChooseState, choose_of, object_of_file

__all__ = ["BotSource"]


@dataclass(frozen=True, slots=True)
class BotSource:
    """The bot's file, and the text of each Python file of its folder. It can be pickled."""

    path: Path
    texts: Mapping[str, bytes]
    """By the file's absolute path."""

    @classmethod
    def read(cls, path: Path) -> BotSource:
        """Return the files as they are now. Raises ValueError where the bot's is not there."""
        path = path.resolve()
        texts: dict[str, bytes] = {}
        for file in (path, *path.parent.glob("*.py")):
            # A neighbour may be one that an editor is replacing, or that must not be read.
            with contextlib.suppress(OSError):
                texts[str(file)] = file.read_bytes()
        if str(path) not in texts:
            raise ValueError(f"there is no file {path} that can be read")
        return cls(path, texts)

    def load(self) -> ChooseState:
        """Execute the bot's file in this process, and return its function. Raises as `load_choose` does.

        An earlier version of it and of its neighbours is forgotten.
        """
        for name, module in list(sys.modules.items()):
            # Those of packages have dots in their names: they are imported as such, and not as neighbours.
            if "." not in name and name != "__main__" and getattr(module, "__file__", None) in self.texts:
                del sys.modules[name]
        finders = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
        # Built-in modules come first, as for any program.
        finders.insert(finders.index(PathFinder) if PathFinder in finders else 0, _Finder(self.texts))
        sys.meta_path[:] = finders
        found = object_of_file(self.path, lambda name, file: _Loader(name, file, self.texts))
        return choose_of(found, self.path.name, {})


class _Loader(SourceFileLoader):
    """Takes the text of a file from memory. It reads and writes no compiled files, whose text may be another one."""

    def __init__(self, name: str, file: str, texts: Mapping[str, bytes]) -> None:
        super().__init__(name, file)
        self._texts = texts

    def get_data(self, path: str) -> bytes:
        return self._texts[path] if path in self._texts else super().get_data(path)

    def path_stats(self, path: str) -> Mapping[str, float]:
        raise OSError("it has no times, so that no compiled file is used")


class _Finder(MetaPathFinder):
    """Finds the neighbours of a bot among the texts."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = texts
        self._files = {Path(file).stem: file for file in texts}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self._files.get(fullname) if path is None else None
        if file is None:
            return None
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file, self._texts))
