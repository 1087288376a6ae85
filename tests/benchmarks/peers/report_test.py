# SPDX-License-Identifier: Apache-2.0
"""The statistics of benchmarks/peers: medians, ratios within rounds, targets, table, pages."""

import json
import re

import pytest

import cases
import costs
import docs_page
import html_page
import report

LESS = report.Measure("us", 1e3)
MORE = report.Measure("k/s", 1e3, more_is_better=True)


def row(values, measure=LESS, failed=None, name="p99"):
    by_round = {who: dict(enumerate(figures)) for who, figures in values.items()}
    return report.Row("echo", "64 B", {"size": 64}, 1, name, measure, by_round, failed or {})


def test_better_peer_is_one_that_is_better_and_never_no_proxy():
    values = {"l4lb-epoll": [1], "haproxy": [9, 2, 2], "nginx": [3, 3, 3], "none": [1, 1, 1]}
    assert report.better_peer(row(values)) == "haproxy"
    assert report.better_peer(row(values, MORE)) == "nginx"
    assert report.better_peer(row({"l4lb-epoll": [1], "none": [1]})) is None


def test_ratios_are_taken_within_rounds():
    # The second round was slow for both, which the ratio does not show.
    figures = row({"l4lb-epoll": [10, 90, 11], "haproxy": [20, 180, 20]})
    verdict = report.judge(figures, "l4lb-epoll")
    assert verdict.ratios == pytest.approx([0.5, 0.5, 0.55])
    assert report.ratio_text(verdict.ratios) == "0.50 (0.50..0.55)"


def test_rounds_that_only_one_of_them_has_make_no_ratio():
    figures = report.Row("echo", "", {}, 1, "p99", LESS,
                         {"l4lb-epoll": {0: 10, 2: 30}, "haproxy": {1: 10, 2: 15}}, {})
    assert report.judge(figures, "l4lb-epoll").ratios == [2.0]


def test_a_peer_that_failed_is_not_compared_with():
    values = {"l4lb-epoll": [10], "haproxy": [5], "nginx": [20]}
    figures = row(values, failed={"haproxy": ["3 reset"]})
    assert report.better_peer(figures) == "nginx"
    assert report.judge(figures, "l4lb-epoll").ratios == [0.5]
    assert report.cell(figures, "haproxy") == "failed 1x"


@pytest.mark.parametrize("target, mine, met", [
    (report.Target(0.9), [17, 18, 40], True),       # The median, 18 of 20, is at the limit.
    (report.Target(0.9), [17, 19, 19], False),
    (report.Target(1.1, at_least=True), [22, 22, 1], True),
    (report.Target(1.1, at_least=True), [21, 21, 99], False),
    (report.Target(18, absolute=True), [17, 18, 99], True),
    (report.Target(17, absolute=True), [17, 18, 99], False),
])
def test_targets_are_judged_by_the_median(target, mine, met):
    figures = row({"l4lb-epoll": mine, "haproxy": [20, 20, 20]}, LESS._replace(target=target))
    assert report.judge(figures, "l4lb-epoll").met is met
    assert report.targets_met([figures]) == (int(met), 1)


def test_a_failure_of_ours_misses_the_target():
    figures = row({"l4lb-epoll": [1], "haproxy": [20]}, LESS._replace(target=report.Target(0.9)),
                  failed={"l4lb-epoll": ["1 wrong_bytes"]})
    assert report.judge(figures, "l4lb-epoll").met is False


def test_without_peer_no_relative_verdict():
    figures = row({"l4lb-epoll": [1]}, LESS._replace(target=report.Target(0.9)))
    assert report.judge(figures, "l4lb-epoll") == report.Verdict(None, [], None)


def test_table_shows_each_engine_and_lines_up():
    figures = row({"l4lb-epoll": [1500], "l4lb-io_uring": [900], "haproxy": [1000]},
                  LESS._replace(target=report.Target(0.95)))
    names = ["l4lb-epoll", "l4lb-io_uring", "haproxy", "nginx"]
    lines = report.table([figures], names).splitlines()
    assert re.split(r"  +", lines[2]) == [
        "64 B", "p99, us", "1.5", "0.9", "1", "-", "haproxy", "1.50 (1.50..1.50)", "<= 0.95",
        "MISS",
        "0.90 (0.90..0.90)", "<= 0.95", "pass", "0.60 (0.60..0.60)"]
    assert lines[0].index("measure") == lines[2].index("p99, us")


def test_an_engine_may_have_targets_of_its_own_and_beside_epoll():
    figures = row({"l4lb-epoll": [1000, 1200], "l4lb-io_uring": [800, 1200], "haproxy": [2000, 2000]},
                  LESS._replace(target=report.Target(0.6),
                                own={"l4lb-io_uring": report.Target(0.4)},
                                beside={"l4lb-io_uring": report.Target(1)}))
    assert report.judge(figures, "l4lb-epoll").met
    assert not report.judge(figures, "l4lb-io_uring").met
    verdict = report.beside_epoll(figures, "l4lb-io_uring")
    assert (verdict.peer, verdict.ratios, verdict.met) == ("l4lb-epoll", [0.8, 1.0], True)
    assert report.targets_met([figures]) == (2, 3)
    again = report.rows_of(json.loads(json.dumps(report.summary([figures]))))
    names = ["l4lb-epoll", "l4lb-io_uring", "haproxy"]
    assert report.table(again, names) == report.table([figures], names)
    assert report.targets_met(again) == (2, 3)


def test_without_our_epoll_nobody_is_beside_it():
    figures = row({"l4lb-io_uring": [9], "haproxy": [20]},
                  LESS._replace(beside={"l4lb-io_uring": report.Target(1)}))
    assert report.beside_epoll(figures, "l4lb-io_uring") == report.Verdict(None, [], None)
    assert report.targets_met([figures]) == (0, 0)


def test_every_target_is_of_something_that_is_measured():
    keys = {*cases.TARGETS, *(key for table in (cases.OWN_TARGETS, cases.TARGETS_TO_EPOLL)
                              for targets in table.values() for key in targets)}
    assert all(name in cases.MEASURES and case in cases.CASES for case, _point, name in keys)
    assert all(key in cases.TARGETS for targets in cases.OWN_TARGETS.values() for key in targets)


def test_numbers_have_three_digits():
    assert [report.number(value) for value in (0, 0.00012, 0.12345, 12.345, 1234.5)] == [
        "0", "1.2e-04", "0.123", "12.3", "1,234"]


def test_summary_can_be_read_back():
    figures = [row({"l4lb-epoll": [1000, 3000], "haproxy": [2000, 2000]},
                   LESS._replace(target=report.Target(512, absolute=True)),
                   failed={"nginx": ["it is gone"]})]
    results = json.loads(json.dumps(report.summary(figures)))
    assert results[0]["values"]["l4lb-epoll"] == [1, 3]
    assert results[0]["targets"]["l4lb-epoll"]["limit"] == 0.512
    names = ["l4lb-epoll", "haproxy", "nginx"]
    assert report.table(report.rows_of(results), names) == report.table(figures, names)


def test_strace_counts_are_read():
    text = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.100000           2     40000         1 recvfrom
 40.00    0.050000           1     39999           sendto
------ ----------- ----------- --------- --------- ----------------
100.00    0.150000           1     79999         1 total
"""
    assert costs.parse_strace(text) == {"recvfrom": 40000, "sendto": 39999}


def test_perf_symbols_are_read():
    text = "# Overhead  Symbol\n#\n    12.34%  [k] tcp_sendmsg\n     1.00%  [.] Pump::Move(int)     -    -  \n"
    assert costs.parse_perf(text) == [(12.34, "[k] tcp_sendmsg"), (1.0, "[.] Pump::Move(int)")]


def outcome():
    return {"machine": {"cpu": "a CPU", "cores": 2, "kernel": "6.1", "load_average": 0.5},
            "time": "2026-01-02 03:04 UTC", "command": "./dev bench peers",
            "contenders": ["l4lb-epoll", "haproxy"],
            "versions": {"l4lb-epoll": "1", "haproxy": "2"},
            "results": report.summary([row({"l4lb-epoll": [1000], "haproxy": [2000]},
                                           LESS._replace(target=report.Target(0.9)))]),
            "failures": [{"case": "echo", "point": "64 B", "workers": 1, "contender": "haproxy",
                          "round": 1, "reason": "</script><b>bad"}],
            "system_calls": [{"contender": "haproxy", "operation": "message", "per_operation": 4.25,
                              "calls": {"recvfrom": 2.0}}],
            "no_system_calls": "", "rounds": 5, "seconds": 0.6, "quick": False,
            "cut_short": False, "took_seconds": 90}


def test_docs_page_has_every_figure():
    page = docs_page.page(outcome())
    assert "l4lb meets 1 of 1 targets" in page
    assert "| 64 B | p99, us | 1 | 2 | haproxy | 0.50 (0.50..0.50) | <= 0.90  pass |" in page
    assert "| haproxy | message | 4.25 | recvfrom 2.00 |" in page


def test_html_page_holds_its_data_whatever_is_in_it():
    page = html_page.page(outcome(), "draw('</script>')")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data[1]) == outcome()
    assert page.count("</script>") == 2
    assert "{{" not in page
    assert not re.search(r'(?:src|href)\s*=\s*"?https?:', page)


def test_every_case_is_explained():
    assert set(docs_page.CASES) == set(cases.CASES)
    script = (html_page.WEB / "report.js").read_text(encoding="utf-8")
    assert all(f"\n  {name}: [" in script for name in cases.CASES)
