# SPDX-License-Identifier: Apache-2.0
"""Figures into ratios, a table, and JSON.  Used by peers.py and spine.py.

The rounds are interleaved, so the values of one round belong together: ratios are taken within
rounds.
"""

import functools
import statistics
from typing import NamedTuple


EPOLL = "l4lb-epoll"  # Our other engines are compared with it as well.


class Target(NamedTuple):
    """What l4lb aims at: `limit` bounds its ratio to the better peer (or to our epoll engine), or the
    value itself."""
    limit: float
    at_least: bool = False
    absolute: bool = False


class Measure(NamedTuple):
    unit: str
    scale: float
    more_is_better: bool = False
    target: Target | None = None
    own: dict = {}     # Contender of ours -> its target in place of `target`.
    beside: dict = {}  # Contender of ours -> the target of its ratio to our epoll engine.

    def target_of(self, ours):
        return self.own.get(ours, self.target)


class Row(NamedTuple):
    """A measure at a point: contender -> round -> value, and contender -> reasons of failures."""
    case: str
    point: str
    parameters: dict
    workers: int
    name: str
    measure: Measure
    values: dict
    failed: dict


class Verdict(NamedTuple):
    peer: str | None
    ratios: list
    met: bool | None


def is_ours(name):
    return name.startswith("l4lb")


def is_peer(name):
    return not is_ours(name) and name != "none"


def median(values):
    return statistics.median(values.values() if isinstance(values, dict) else values)


def sound(row):
    """What counts: who lost or corrupted something at this point has no figure."""
    return {name: values for name, values in row.values.items()
            if values and not row.failed.get(name)}


def better_peer(row):
    """The peer with the better median; None when no peer ran."""
    peers = {name: median(values) for name, values in sound(row).items() if is_peer(name)}
    if not peers:
        return None
    return (max if row.measure.more_is_better else min)(peers, key=peers.get)


def judge(row, ours):
    """`ours` beside the better peer, round by round, and whether the target is met."""
    return compare(row, ours, better_peer(row), row.measure.target_of(ours))


def beside_epoll(row, ours):
    """The same beside our epoll engine."""
    peer = EPOLL if sound(row).get(EPOLL) and ours != EPOLL else None
    return compare(row, ours, peer, row.measure.beside.get(ours))


def compare(row, ours, peer, target):
    mine = sound(row).get(ours)
    if not mine:
        # What cannot be measured for a failure of ours has not been reached.
        return Verdict(peer, [], False if target and row.failed.get(ours) else None)
    theirs = row.values[peer] if peer else {}
    ratios = [mine[number] / theirs[number] for number in mine if theirs.get(number)]
    judged = list(mine.values()) if target and target.absolute else ratios
    if target is None or not judged:
        return Verdict(peer, ratios, None)
    value = median(judged)
    met = value >= target.limit if target.at_least else value <= target.limit
    return Verdict(peer, ratios, met)


def number(value):
    """Three digits, no more: the rest is noise."""
    if value != 0 and abs(value) < 0.001:
        return f"{value:.1e}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def cell(row, name):
    if row.failed.get(name):
        return f"failed {len(row.failed[name])}x"
    values = row.values.get(name)
    return number(median(values) / row.measure.scale) if values else "-"


def ratio_text(ratios):
    if not ratios:
        return "-"
    return f"{median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f})"


def target_text(measure, target, verdict):
    if target is None:
        return ""
    sign = ">=" if target.at_least else "<="
    unit = f" {measure.unit}" if target.absolute else ""
    limit = target.limit / (measure.scale if target.absolute else 1)
    result = {True: "pass", False: "MISS", None: "-"}[verdict.met]
    return f"{sign} {limit:.2f}{unit}  {result}"


def title(measure_name, unit):
    return f"{measure_name}, {unit}" if unit else measure_name


def cells(rows, names):
    """The table, a list of texts for each line, header first."""
    ours = [name for name in names if is_ours(name)]
    header = ["work", "measure"] + list(names)
    for name in ours:
        header += [f"{name} ratio (min..max)" if len(ours) > 1 else "ratio (min..max)", "target"]
    others = [name for name in ours if name != EPOLL] if EPOLL in ours else []
    for name in others:
        header += [f"{name} to {EPOLL}", "target"]
    header.insert(2 + len(names), "better peer")
    table_cells = [header]
    for row in rows:
        line = [row.point, title(row.name, row.measure.unit)]
        line += [cell(row, name) for name in names] + [better_peer(row) or "-"]
        for name in ours:
            verdict = judge(row, name)
            line += [ratio_text(verdict.ratios),
                     target_text(row.measure, row.measure.target_of(name), verdict)]
        for name in others:
            verdict = beside_epoll(row, name)
            line += [ratio_text(verdict.ratios),
                     target_text(row.measure, row.measure.beside.get(name), verdict)]
        table_cells.append(line)
    return table_cells


def aligned(table_cells):
    widths = [max(len(line[column]) for line in table_cells)
              for column in range(len(table_cells[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip()
             for line in table_cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def table(rows, names):
    """The figures as text: medians, the ratio to the better peer with its spread, the target."""
    return aligned(cells(rows, names))


def summary(rows):
    """The same for machines: every value in the unit's scale, and what follows from them."""
    results = []
    for row in rows:
        ours = [name for name in {**row.values, **row.failed} if is_ours(name)]
        verdicts = {name: judge(row, name) for name in ours}
        beside = {name: beside_epoll(row, name) for name in ours if name != EPOLL}
        plain = functools.partial(plain_target, row.measure)
        results.append({
            "case": row.case, "point": row.point, "parameters": row.parameters,
            "workers": row.workers, "measure": row.name, "unit": row.measure.unit,
            "more_is_better": row.measure.more_is_better,
            "values": {name: [value / row.measure.scale for value in values.values()]
                       for name, values in row.values.items()},
            "rounds": {name: list(values) for name, values in row.values.items()},
            "failed": row.failed,
            "better_peer": better_peer(row),
            "ratios": {name: verdict.ratios for name, verdict in verdicts.items()},
            "targets": {name: plain(row.measure.target_of(name)) for name in ours
                        if row.measure.target_of(name)},
            "met": {name: verdict.met for name, verdict in verdicts.items()},
            "ratios_to_epoll": {name: verdict.ratios for name, verdict in beside.items()},
            "targets_to_epoll": {name: plain(target)
                                 for name, target in row.measure.beside.items() if name in ours},
            "met_to_epoll": {name: verdict.met for name, verdict in beside.items()},
        })
    return results


def plain_target(measure, target):
    """As a dictionary, in the unit that the figures have there."""
    limit = target.limit / measure.scale if target.absolute else target.limit
    return target._replace(limit=limit)._asdict()


def rows_of(results):
    """Rows from what summary() made, so that a report can be drawn again."""
    rows = []
    for result in results:
        own, beside = ({name: Target(**target) for name, target in result[kind].items()}
                       for kind in ("targets", "targets_to_epoll"))
        values = {name: dict(zip(result["rounds"][name], figures))
                  for name, figures in result["values"].items()}
        rows.append(Row(result["case"], result["point"], result["parameters"], result["workers"],
                        result["measure"],
                        Measure(result["unit"], 1, result["more_is_better"], None, own, beside),
                        values,
                        result["failed"]))
    return rows


def has_target(row):
    """For any contender of ours that ran."""
    return any(row.measure.target_of(name) or name in row.measure.beside
               for name in {**row.values, **row.failed} if is_ours(name))


def targets_met(rows):
    """How many targets are met, of how many: of each l4lb engine and row, to the better peer (or
    of the value itself) and to our epoll engine."""
    verdicts = []
    for row in rows:
        ran = {**row.values, **row.failed}
        for name in filter(is_ours, ran):
            if row.measure.target_of(name):
                verdicts.append(judge(row, name).met)
            if name in row.measure.beside and EPOLL in ran:
                verdicts.append(beside_epoll(row, name).met)
    return sum(met is True for met in verdicts), len(verdicts)
