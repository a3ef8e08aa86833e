"""The mutants of a package, and a sample of them that edits elsewhere do not change.

mutmut's operators make the changes. Its runner is not used: it leaves out functions with a decorator, hence kernels,
properties and validators, and puts a call in between, which numba cannot compile.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_string

__all__ = ["PACKAGES", "Mutant", "files_of", "mutants_of", "sample"]

ACCOUNTS: Final = (
    *("accounts", "administration", "oidc", "passkeys", "passwords"),
    *(
        "runtime/account_search",
        "runtime/account_service",
        "runtime/codes",
        "runtime/guesses",
        "runtime/passkey_proofs",
    ),
    *("runtime/provider_sign_ins", "runtime/revocations", "runtime/sign_ins", "runtime/signed_texts"),
    "runtime/used_texts",
)
PACKAGES: Final[dict[str, tuple[str, ...]]] = {
    "engine": ("engine/**/*.py",),
    "protocol": ("protocol/**/*.py",),
    "server/match": ("server/match/*.py",),
    "server/lobby": ("server/lobby/*.py",),
    "server/tournament": ("server/tournament/*.py",),
    "server/rating": ("server/rating/*.py",),
    "server/accounts": tuple(f"server/{name}.py" for name in ACCOUNTS),
    "clients/sdk": ("clients/sdk/*.py",),
    "lab/statistics": ("lab/statistics/*.py",),
}
"""The files of each package. The services of accounts are in no folder of their own."""
IMPORTED: Final = (cst.Annotation, cst.Decorator)
"""Code that runs at the import, where each mutant would only fail to import."""
UNREACHED: Final = frozenset({"assert_never", "cast", "isinstance", "len", "TypeVar"})
"""Functions whose arguments stay: a type checker uses them, or each change raises `TypeError`."""
STATEMENTS: Final = (cst.BaseStatement, cst.MatchCase, cst.ExceptHandler)
"""What begins on a line of its own."""
LINES_OF_NODE: Final = (cst.BaseExpression, cst.SimpleStatementLine, cst.BaseSmallStatement)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change in one function."""

    path: str
    """The file, relative to the root."""
    function: str
    """The qualified name of the function as in `__qualname__`, without `<locals>`."""
    operator: str
    before: str
    after: str
    occurrence: int
    """The number of equal changes before this one in the function."""
    lines: tuple[int, int]
    """The first and the last line that run the changed code."""
    is_kernel: bool
    """Whether numba compiles the function, so that neither coverage nor an edit of the function reaches what runs."""

    @property
    def key(self) -> str:
        """The name in reports and in equivalent_mutants.json. Line numbers are no part of it."""
        parts = (self.path, self.function, self.operator, self.before, self.after, str(self.occurrence))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[1]} {self.function}: {self.before} -> {self.after}"


class Collector(cst.CSTVisitor):
    """Makes the mutants of a module with the nodes to exchange."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, path: str, module: cst.Module) -> None:
        self.found: list[tuple[Mutant, cst.CSTNode, cst.CSTNode]] = []
        self._path, self._module = path, module
        self._scopes: list[str] = []
        self._functions: list[cst.FunctionDef] = []
        self._first_lines: list[int] = []
        self._seen: Counter[tuple[str, ...]] = Counter()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, IMPORTED) or (isinstance(node, cst.Call) and self._name(node.func) in UNREACHED):
            return False
        if isinstance(node, cst.Param):
            # A default runs with the definition.
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self._scopes.append(node.name.value)
            if isinstance(node, cst.FunctionDef):
                self._functions.append(node)
        if isinstance(node, STATEMENTS):
            self._first_lines.append(self._line(node))
        if self._functions and not isinstance(node, cst.FunctionDef):
            self._mutate(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self._scopes.pop()
            if isinstance(original_node, cst.FunctionDef):
                self._functions.pop()
        if isinstance(original_node, STATEMENTS):
            self._first_lines.pop()

    def _name(self, node: cst.BaseExpression) -> str:
        return self._module.code_for_node(node)

    def _line(self, node: cst.CSTNode) -> int:
        return int(self.get_metadata(PositionProvider, node).start.line)

    def _mutate(self, node: cst.CSTNode) -> None:
        for kind, operator in mutation_operators:
            # What a text says is no behaviour, and no test of this project is about it.
            if isinstance(node, kind) and operator is not operator_string:
                for mutated in operator(node):
                    self._add(operator.__name__.removeprefix("operator_"), node, mutated)

    def _add(self, operator: str, node: cst.CSTNode, mutated: cst.CSTNode) -> None:
        before, after = self._text(node), self._text(mutated)
        if isinstance(node, cst.Match) and isinstance(mutated, cst.Match):
            dropped = next(case for case in node.cases if all(case is not kept for kept in mutated.cases))
            before, after = f"case {self._text(dropped.pattern)}", "no such case"
        place = self.get_metadata(PositionProvider, node)
        first = self._first_lines[-1]
        last = place.end.line if isinstance(node, LINES_OF_NODE) else place.start.line
        function = ".".join(self._scopes)
        kernels = [one for one in self._functions if any(self._is_kernel(each) for each in one.decorators)]
        change = (function, operator, before, after)
        mutant = Mutant(self._path, *change, self._seen[change], (first, last), bool(kernels))
        self._seen[change] += 1
        self.found.append((mutant, node, mutated))

    def _text(self, node: cst.CSTNode) -> str:
        return " ".join(self._module.code_for_node(node).split())

    def _is_kernel(self, decorator: cst.Decorator) -> bool:
        return self._name(decorator.decorator).partition("(")[0] in {"kernel", "njit", "numba.njit"}


class Exchange(cst.CSTTransformer):
    """Exchanges one node, which is found by its identity."""

    def __init__(self, node: cst.CSTNode, mutated: cst.CSTNode) -> None:
        self._node, self._mutated = node, mutated

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        return self._mutated if original_node is self._node else updated_node


def collect(path: str, source: str) -> tuple[cst.Module, list[tuple[Mutant, cst.CSTNode, cst.CSTNode]]]:
    wrapper = MetadataWrapper(cst.parse_module(source))
    collector = Collector(path, wrapper.module)
    wrapper.visit(collector)
    return wrapper.module, collector.found


def mutants_of(path: str, source: str) -> list[Mutant]:
    """Return the mutants of a module."""
    return [mutant for mutant, _, _ in collect(path, source)[1]]


def mutated_sources(path: str, source: str, keys: Iterable[str]) -> dict[str, str]:
    """Return the module's source with each of the named mutants; their keys are those of the result."""
    module, found = collect(path, source)
    wanted = set(keys)
    sources: dict[str, str] = {}
    for mutant, node, mutated in found:
        if mutant.key in wanted:
            changed = module.visit(Exchange(node, mutated))
            assert isinstance(changed, cst.Module)
            sources[mutant.key] = changed.code
    return sources


def files_of(root: Path, package: str) -> Iterator[str]:
    """Yield the paths of a package's files, relative to the root."""
    for each in PACKAGES.get(package, (f"{package}/**/*.py", f"{package}.py")):
        yield from sorted(file.relative_to(root).as_posix() for file in root.glob(each))


def sample(mutants: Sequence[Mutant], seed: int, size: int) -> list[Mutant]:
    """Return at most `size` of the mutants by the hash of their keys, of every operator in turn.

    A mutant stays in the sample whatever is edited elsewhere, and one whose code is gone is replaced. Arguments and
    assignments would be three quarters of a sample that took no turns, and any test that runs their line finds most.
    """
    by_operator: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in sorted(mutants, key=lambda each: hashlib.sha256(f"{seed}\0{each.key}".encode()).digest()):
        by_operator[mutant.operator].append(mutant)
    chosen: list[Mutant] = []
    for turn in range(max(map(len, by_operator.values()), default=0)):
        chosen += [of_one[turn] for _, of_one in sorted(by_operator.items()) if turn < len(of_one)]
    return chosen[:size]
