# SPDX-License-Identifier: Apache-2.0
"""Figures into ratios, a table, and JSON.  Used by spine.py.

A figure is {"case", "contender", "measure", "values"}; values maps a round to its value.  The
rounds are interleaved, so the values of one round belong together: ratios are taken within rounds.
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


class Verdict(NamedTuple):
    peer: str | None
    ratios: list
    met: bool | None


def median(values):
    return statistics.median(values.values() if isinstance(values, dict) else values)


def better_peer(by_contender, measure):
    """The peer with the better median; None when no peer ran."""
    peers = {name: median(values) for name, values in by_contender.items() if name != "l4lb"}
    if not peers:
        return None
    return (max if measure.more_is_better else min)(peers, key=peers.get)


def judge(by_contender, measure):
    """l4lb beside the better peer, round by round, and whether the target is met."""
    peer = better_peer(by_contender, measure)
    ours = by_contender.get("l4lb")
    if not ours:
        return Verdict(peer, [], None)
    theirs = by_contender[peer] if peer else {}
    ratios = [ours[number] / theirs[number] for number in ours if theirs.get(number)]
    target = measure.target
    judged = ours if target and target.absolute else ratios
    if target is None or not judged:
        return Verdict(peer, ratios, None)
    value = median(judged)
    met = value >= target.limit if target.at_least else value <= target.limit
    return Verdict(peer, ratios, met)


def grouped(figures):
    """(case, measure) -> contender -> values, in the order of the run."""
    groups = {}
    for figure in figures:
        key = (figure["case"], figure["measure"])
        groups.setdefault(key, {})[figure["contender"]] = figure["values"]
    return groups


def cell(values, measure):
    if not values:
        return "-"
    value = median(values) / measure.scale
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def target_text(measure, verdict):
    if measure.target is None:
        return ""
    sign = ">=" if measure.target.at_least else "<="
    unit = f" {measure.unit}" if measure.target.absolute else ""
    limit = measure.target.limit / (measure.scale if measure.target.absolute else 1)
    result = {True: "pass", False: "MISS", None: "-"}[verdict.met]
    return f"{sign} {limit:.2f}{unit}  {result}"


def table(figures, measures, names):
    """The figures as text: medians, the ratio to the better peer with its spread, the target."""
    header = ["case", "measure"] + list(names) + ["ratio (min..max)", "to", "target"]
    rows = [header]
    for (case, measure_name), by_contender in grouped(figures).items():
        measure = measures[measure_name]
        verdict = judge(by_contender, measure)
        ratio = "-"
        if verdict.ratios:
            low, high = min(verdict.ratios), max(verdict.ratios)
            ratio = f"{median(verdict.ratios):.2f} ({low:.2f}..{high:.2f})"
        rows.append([case, f"{measure_name}, {measure.unit}"]
                    + [cell(by_contender.get(name), measure) for name in names]
                    + [ratio, verdict.peer or "-", target_text(measure, verdict)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip()
             for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def summary(figures, measures):
    """The same for machines: every value, and what follows from them."""
    results = []
    for (case, measure_name), by_contender in grouped(figures).items():
        measure = measures[measure_name]
        verdict = judge(by_contender, measure)
        results.append({
            "case": case, "measure": measure_name, "unit": measure.unit,
            "values": {name: [value / measure.scale for value in values.values()]
                       for name, values in by_contender.items()},
            "better_peer": verdict.peer,
            "ratios": verdict.ratios,
            "target": measure.target._asdict() if measure.target else None,
            "met": verdict.met,
        })
    return results
