# SPDX-License-Identifier: Apache-2.0
"""Figures into ratios, a table, and JSON.  Used by peers.py and spine.py.

The rounds are interleaved, so the values of one round belong together: ratios are taken within
rounds.
"""

import statistics
from typing import NamedTuple


class Target(NamedTuple):
    """What l4lb aims at: `limit` bounds its ratio to the better peer, or the value itself."""
    limit: float
    at_least: bool = False
    absolute: bool = False


class Measure(NamedTuple):
    unit: str
    scale: float
    more_is_better: bool = False
    target: Target | None = None


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
    peer = better_peer(row)
    mine = sound(row).get(ours)
    target = row.measure.target
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


def target_text(measure, verdict):
    if measure.target is None:
        return ""
    sign = ">=" if measure.target.at_least else "<="
    unit = f" {measure.unit}" if measure.target.absolute else ""
    limit = measure.target.limit / (measure.scale if measure.target.absolute else 1)
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
    header.insert(2 + len(names), "better peer")
    table_cells = [header]
    for row in rows:
        line = [row.point, title(row.name, row.measure.unit)]
        line += [cell(row, name) for name in names] + [better_peer(row) or "-"]
        for name in ours:
            verdict = judge(row, name)
            line += [ratio_text(verdict.ratios), target_text(row.measure, verdict)]
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
        target = row.measure.target
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
            "target": target._replace(limit=target.limit / row.measure.scale)._asdict()
            if target and target.absolute else target._asdict() if target else None,
            "met": {name: verdict.met for name, verdict in verdicts.items()},
        })
    return results


def rows_of(results):
    """Rows from what summary() made, so that a report can be drawn again."""
    rows = []
    for result in results:
        target = Target(**result["target"]) if result["target"] else None
        values = {name: dict(zip(result["rounds"][name], figures))
                  for name, figures in result["values"].items()}
        rows.append(Row(result["case"], result["point"], result["parameters"], result["workers"],
                        result["measure"],
                        Measure(result["unit"], 1, result["more_is_better"], target), values,
                        result["failed"]))
    return rows


def targets_met(rows):
    """How many targets are met, of how many: one for each l4lb engine and row with a target."""
    verdicts = [judge(row, name).met for row in rows if row.measure.target
                for name in {**row.values, **row.failed} if is_ours(name)]
    return sum(met is True for met in verdicts), len(verdicts)
