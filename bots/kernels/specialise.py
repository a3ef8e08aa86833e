"""Functions written once for all games: a file is executed with one game's kernels as globals, and compiled.

The compiled form has one explicit signature and a module of its own: any other form of the same thing misses numba's
cache on disk, or crashes when a recursive function comes out of it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numba
from numba.core import config

from cornered.engine.compile.kernel import IS_CACHED, IS_COMPILED

__all__ = ["specialise_template"]


def specialise_template(
    template: Path, function: str, name: str, given: Mapping[str, Any], signature: tuple[Any, ...], cached_in: Path
) -> Any:
    """Return the `function` that `template` defines over the globals `given`, compiled for one signature of types.

    `name` is unique in this process, and the hash in the name of `cached_in` covers the template, this module and all
    that is given.
    """
    module = ModuleType(f"{template.parent.name}.{function}_{name}")
    module.__file__ = str(template)
    module.__dict__.update(given)
    exec(_code(template), module.__dict__)
    # A function from numba's cache looks its module up by name.
    sys.modules[module.__name__] = module
    made = module.__dict__[function]
    if IS_COMPILED:
        made.__qualname__ = f"{function}_{name}"
        config.CACHE_DIR = str(cached_in)  # type: ignore[attr-defined]  # numba reads it now
        made = numba.njit(cache=IS_CACHED, nogil=True, boundscheck=False)(made)
        # A function that calls itself does so by this name, which has to be the compiled one when calls are typed.
        module.__dict__[function] = made
        made.compile(signature)
        made.disable_compile()
    return made


@cache
def _code(template: Path) -> CodeType:
    return compile(template.read_text(encoding="utf-8"), str(template), "exec", dont_inherit=True)
