"""Findings as Markdown: a page for each, and one report of all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cornered.lab.experiments.findings import FIGURE_KINDS, REASONS, VERDICTS, FigureRow, Finding
from cornered.lab.experiments.judging import ABOUT_SHARE, MAX_DETECTABLE, PAPER_GAMES
from cornered.lab.statistics.comparison import POWER
from cornered.lab.statistics.mean import CONFIDENCE
from cornered.lab.statistics.multiple import adjusted

__all__ = ["DISCOVERY_RATE", "cells", "page", "report"]

LEVEL: Final = 1 - CONFIDENCE
DISCOVERY_RATE: Final = 0.05
"""Expected share of wrong ones among the differences that remain after the adjustment for many comparisons."""
NO_EFFECT: Final = {"points": 0.0, "times": 1.0}
LEAST_P: Final = 0.0001
COMMIT_DIGITS: Final = 12
MAX_LINKS: Final = 8
"""Number of data files above which a page links to their folder alone."""
RULES: Final = f"""\
## How figures are judged

One rule for each kind of figure, the same in every experiment. Intervals are {CONFIDENCE:.0%} intervals.

**Verdicts**

- *A share that the reference counted* in a number of games ({PAPER_GAMES} for each share of the Bamboo paper) is
  compared as two counts. It *differs* where the interval of their difference leaves out zero. Else it *agrees*, but
  only if the two counts would have shown a difference of {MAX_DETECTABLE:g} points; if not, it is *unclear*.
- *A range*, or "about" a number, which always means {ABOUT_SHARE:.0%} to either side of it, *differs* where our whole
  interval lies outside. It *agrees* where the interval lies inside, or where our figure does and the difference that we
  could have detected is no larger than the range is wide; else it is *unclear*. "More than" a number agrees only with a
  whole interval beyond it.
- *An exact figure* agrees where it lies in the range that the printed digits denote, else it differs.
- *The best of several settings* agrees where it is the reference's and no other one can be the best by our sample; it
  is *unclear* while the reference's is one of several that can be, else it differs.
- *New*: the reference prints no figure. *Apart*: the two stand beside each other without a verdict, because they are
  times or rates of two machines, because the check could hardly fail, because the reading was chosen out of many for
  its fit, because the reference has a word and no figure, or because the figure beside ours is another program's.

**Class** says where our figure comes from: *exact*, counted or computed without error; *proven*, the result of a
complete search; *measured*, a sample with an interval; *time*, a time or rate of the machine that made the report.

**Reasons** of what differs: *refuted*, a proof or the reference's own figures contradict it; *vague*, the reference
does not say enough to repeat what it measured; *definition*, another reading of the reference agrees, and is named;
*unexplained*, none of these is known, and what was tried is said.

**Columns.** *From* is the number of games, positions or runs, with the number of independent ones that are worth as
much in brackets where it is smaller: games with the same opening are alike, and games of players without chance are the
same. *Detectable* is the smallest difference from the reference's figure that such a sample finds at the {LEVEL:.0%}
level in {POWER:.0%} of all cases. *Effect* is ours minus the reference's in percentage points, or ours as a multiple of
the reference's, with its interval; a range is represented by its point nearest to ours. Figures without an interval are
exact, or derived from others.

**Many comparisons.** Where many figures are compared at {LEVEL:.0%}, one in twenty differs by chance alone. So the
p-values of all comparisons in this report are also adjusted together by Benjamini and Hochberg's procedure, which keeps
the expected share of wrong ones among the remaining differences below {DISCOVERY_RATE:.0%}. The verdicts are those
before the adjustment.

Times and rates change from run to run. Everything else is the same for the same seed, whatever the number of workers.
"""


def page(finding: Finding) -> str:
    """Return a finding as a Markdown page of its own, in the folder of its plot."""
    return "\n".join([f"# {finding.title}", "", *_body(finding, ""), ""])


def report(findings: Sequence[Finding], references: Mapping[str, str], folder: str) -> str:
    """Return the whole report; `references` are titles by file name and give the order, `folder` holds the plots."""
    lines = [
        "# The references, reproduced",
        "",
        "Each table and figure of the references, measured again with this software, with the reference's figure "
        "beside ours. The commands that stand here write this page; `cornered reproduce --list` names all experiments.",
        "",
        RULES,
        *_summary(findings),
        *_differences(findings),
    ]
    for file, title in references.items():
        ours = [finding for finding in findings if file in finding.source]
        lines += [f"## {title}", ""] if ours else []
        for finding in ours:
            lines += [f'<a id="{finding.name}"></a>', "", f"### {finding.title}", "", *_body(finding, f"{folder}/")]
    return "\n".join(lines).rstrip() + "\n"


def cells(row: FigureRow) -> tuple[str, ...]:
    """Return the cells of a row: label, the reference's figure, ours, the interval, the count, the verdict."""
    verdict = f"{row.verdict} ({row.reason})" if row.verdict == "differs" else row.verdict
    return row.label, row.claimed or "-", _figure(row.ours, row.unit), _interval(row), _count(row), verdict


def _summary(findings: Sequence[Finding]) -> Iterator[str]:
    yield from ("## Summary", "", f"| experiment | what | {' | '.join(VERDICTS)} |")
    yield f"| --- | --- |{' ---: |' * len(VERDICTS)}"
    for finding in findings:
        counts = " | ".join(str(finding.verdicts()[verdict]) for verdict in VERDICTS)
        yield f"| [{finding.name}](#{finding.name}) | {_cell(finding.title)} | {counts} |"
    totals = [sum(finding.verdicts()[verdict] for finding in findings) for verdict in VERDICTS]
    yield f"| all | | {' | '.join(map(str, totals))} |"
    rows = [row for finding in findings for row in finding.rows]
    yield from ("", f"| class | {' | '.join(VERDICTS)} |", f"| --- |{' ---: |' * len(VERDICTS)}")
    for kind in FIGURE_KINDS:
        counts = " | ".join(
            str(sum((row.kind, row.verdict) == (kind, verdict) for row in rows)) for verdict in VERDICTS
        )
        yield f"| {kind} | {counts} |"
    yield from ("", f"| what differs, by reason | {' | '.join(REASONS)} |", f"| --- |{' ---: |' * len(REASONS)}")
    for kind in FIGURE_KINDS:
        reasons = [row.reason for row in rows if row.kind == kind and row.verdict == "differs"]
        if reasons:
            yield f"| {kind} | {' | '.join(str(reasons.count(reason)) for reason in REASONS)} |"
    reasons = [row.reason for row in rows if row.verdict == "differs"]
    yield from (f"| all | {' | '.join(str(reasons.count(reason)) for reason in REASONS)} |", "")
    compared = _adjusted(findings)
    differing = [(one.name, row.label) for one in findings for row in one.rows if row.verdict == "differs"]
    after = [compared[place] for place in differing if place in compared]
    yield from (
        f"{len(compared)} comparisons have a p-value; {len(after)} of them differ at {LEVEL:.0%} each, and "
        f"{sum(p <= DISCOVERY_RATE for p in after)} still do after Benjamini and Hochberg's adjustment at a false "
        f"discovery rate of {DISCOVERY_RATE:.0%}.",
        "",
    )


def _differences(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the section that lists every row that differs, with its reason."""
    yield from ("## What differs, and why", "")
    if not any(finding.verdicts()["differs"] for finding in findings):
        yield from ("Nothing that was measured differs.", "")
        return
    yield from (
        'The number beside a reason is that of the explanation below the table. "Adjusted" is the p-value after the '
        'adjustment for all comparisons of this report; "holds" is whether the figure still differs by it. What has no '
        "p-value is exact, or the best of several settings.",
        "",
    )
    after = _adjusted(findings)
    for finding in findings:
        explanations: dict[str, int] = {}
        listed = []
        for row in finding.rows:
            if row.verdict != "differs":
                continue
            interval = (
                "" if row.low == row.high else f" ({_digits(row.low, row.unit)} to {_digits(row.high, row.unit)})"
            )
            why = row.why or row.note
            p = after.get((finding.name, row.label))
            listed.append(
                (
                    row.label,
                    row.claimed,
                    f"{_figure(row.ours, row.unit)}{interval}",
                    _effect(row),
                    _p(row.p),
                    _p(p),
                    "yes" if p is None or p <= DISCOVERY_RATE else "no",
                    f"{row.reason} ({explanations.setdefault(why, len(explanations) + 1)})" if why else row.reason,
                )
            )
        if listed:
            yield from (f"[{finding.name}](#{finding.name}): {finding.title}", "")
            yield from _table(("figure", "printed", "ours", "effect", "p", "adjusted", "holds", "reason"), listed)
            yield from (f"{number}. {_line(why)}" for why, number in explanations.items())
            yield from [""] if explanations else []


def _adjusted(findings: Sequence[Finding]) -> dict[tuple[str, str], float]:
    """Return the adjusted p-values of all comparisons, by experiment and label."""
    compared = {
        (finding.name, row.label): row.p
        for finding in findings
        for row in finding.rows
        if row.p is not None and row.verdict not in ("new", "apart")
    }
    return dict(zip(compared, adjusted(list(compared.values())), strict=True))


def _body(finding: Finding, folder: str) -> Iterator[str]:
    """Yield the Markdown lines of a finding's source, tables, plot and notes; the plot lies in `folder`."""
    yield from (f"Source: {finding.source}. {_made(finding)}", "")
    times = [row for row in finding.rows if row.kind == "time"]
    others = [row for row in finding.rows if row.kind != "time"]
    heads: tuple[str, ...]
    if others:
        heads = ("", "reference", "ours", "95% interval", "from", "class", "detectable", "effect", "verdict", "note")
        yield from _table(heads, [_judged_cells(row) for row in others])
    if times:
        yield from ("Times and rates of this machine, beside the reference's:", "")
        heads = ("", "reference", "ours", "95% interval", "from", "note")
        yield from _table(heads, [(*cells(row)[:5], row.note) for row in times])
    yield from (f"![{finding.title}]({folder}{finding.name}.svg)", "")
    yield from (*(f"- {note}" for note in finding.notes), *([""] if finding.notes else []))
    if finding.data:
        place = f"{folder}{next(iter(finding.data)).rpartition('/')[0]}"
        links = ", ".join(
            f"[{path.rpartition('/')[2]}]({folder}{path}) ({lines:,} lines)" for path, lines in finding.data.items()
        )
        if len(finding.data) > MAX_LINKS:
            links = f"[{len(finding.data)} files]({place}) with {sum(finding.data.values()):,} lines"
        yield from (f"Data ([columns]({place}/README.md)): {links}.", "")


def _made(finding: Finding) -> str:
    """Return the sentence that says how and by what a finding was made."""
    origin = finding.provenance
    facts = [finding.scale, f"seed {finding.seed}", f"cornered {finding.version}"]
    if origin:
        commits = list(dict.fromkeys(run["commit"] for run in origin["runs"] if run["commit"]))
        if commits:
            facts.append(f"commit{'s' if commits[1:] else ''} {', '.join(map(_commit, commits))}")
        facts += [f"Python {origin['python']}", str(origin["processor"]), str(origin["date"])[:10]]
    return f"Made by `{finding.command}` ({', '.join(facts)})."


def _commit(text: str) -> str:
    """Return a commit with fewer digits."""
    digits, dash, dirty = text.partition("-")
    return f"{digits[:COMMIT_DIGITS]}{dash}{dirty}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table, without the columns that are empty in every row; those of figures are aligned to the right."""
    kept = [place for place in range(len(heads)) if place == 0 or any(row[place] not in ("", "-") for row in rows)]
    left = ("", "figure", "class", "verdict", "holds", "reason", "note")
    yield f"| {' | '.join(heads[place] for place in kept)} |"
    yield f"| {' | '.join('---' if heads[place] in left else '---:' for place in kept)} |"
    for row in rows:
        yield f"| {' | '.join(_cell(row[place]) for place in kept)} |"
    yield ""


def _judged_cells(row: FigureRow) -> tuple[str, ...]:
    label, claimed, ours, interval, count, verdict = cells(row)
    if row.verdict == "differs":
        verdict = f"**differs** ({row.reason})"
    detectable = "-"
    if row.detectable is not None:
        detectable = _figure(row.detectable, "points" if row.unit == "%" else row.unit)
    return label, claimed, ours, interval, count, row.kind, detectable, _effect(row), verdict, row.note


def _effect(row: FigureRow) -> str:
    effect = row.effect
    # A figure inside the reference's range has an interval about no difference, which says nothing.
    if effect is None or math.isclose(effect.value, NO_EFFECT[effect.scale], abs_tol=1e-6):
        return "-"
    if effect.scale == "points":
        value, low, high = (
            _digits(one, "points") if math.isinf(one) else f"{one:+.1f}"
            for one in (effect.value, effect.low, effect.high)
        )
        unit = " points"
    else:
        value, low, high = (
            _digits(one, "") if math.isinf(one) else f"{one:,.3g}" for one in (effect.value, effect.low, effect.high)
        )
        value, unit = f"x{value}", ""
    return f"{value}{unit}" if effect.low == effect.high else f"{value}{unit} ({low} to {high})"


def _p(p: float | None) -> str:
    return "-" if p is None else f"<{LEAST_P:.4f}" if p < LEAST_P else f"{p:.2g}"


def _count(row: FigureRow) -> str:
    if row.effective is None or row.effective >= row.count:
        return f"{row.count:,}"
    return f"{row.count:,} ({row.effective:,.0f})"


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    return text.replace("\n", " ")


def _interval(row: FigureRow) -> str:
    """Return the interval of a row, or "-" for an exact figure."""
    if row.low == row.high:
        return "-"
    return f"{_digits(row.low, row.unit)} to {_figure(row.high, row.unit)}"


def _figure(value: float, unit: str) -> str:
    return f"{_digits(value, unit)}%" if unit == "%" else f"{_digits(value, unit)} {unit}".rstrip()


def _digits(value: float, unit: str) -> str:
    """Return a figure with about four significant digits, shares and points with one decimal."""
    if math.isinf(value):
        return "without bound"
    if float(value).is_integer() and unit not in ("%", "points"):
        return f"{int(value):,}"
    return f"{value:,.1f}" if unit in ("%", "points") or abs(value) >= 1000 else f"{value:.4g}"
