"""Libraries whose interfaces the environments offer, each of which an extra installs."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["library"]


def library(module: str, extra: str) -> ModuleType:
    """Return a library's module. Raises ModuleNotFoundError that names the extra where it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModuleNotFoundError(
            f"this needs {module}, which is not installed: pip install 'cornered[{extra}]'", name=module
        ) from error
