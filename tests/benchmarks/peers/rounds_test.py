# SPDX-License-Identifier: Apache-2.0
"""How benchmarks/peers takes turns, keeps failures apart and reads the CPU time of a contender."""

import types

import pytest

import bench
import cases
import measure
import report

RIVALS = [types.SimpleNamespace(name=name) for name in ("l4lb-epoll", "haproxy", "nginx")]


def run(monkeypatch, case, rounds=3, minutes=1.0, workers=(1,)):
    monkeypatch.setattr(cases, "CASES", {"echo": case})
    options = types.SimpleNamespace(rounds=rounds, workers=list(workers), case=["echo"], quick=False,
                                    seconds=1, minutes=minutes)
    runs = bench.Bench(options, RIVALS, "/nowhere")
    runs.run()
    return runs


def test_everybody_is_first_once(monkeypatch):
    order = []
    run(monkeypatch, lambda run: order.append((run.number, run.rival.name)))
    assert [name for _number, name in order] == [
        "l4lb-epoll", "haproxy", "nginx", "haproxy", "nginx", "l4lb-epoll",
        "nginx", "l4lb-epoll", "haproxy"]


def test_a_failed_point_leaves_the_others(monkeypatch):
    def case(run):
        with run.point("good") as put:
            put(rate=5)
        with run.point("bad") as put:
            put(rate=5)
            if run.rival.name == "nginx" and run.number == 1:
                raise RuntimeError("it is gone")

    runs = run(monkeypatch, case)
    good, bad = runs.rows()
    assert report.cell(good, "nginx") == "0.005"
    assert report.cell(bad, "nginx") == "failed 1x"
    assert report.cell(bad, "haproxy") == "0.005"
    assert [(f["contender"], f["point"], f["round"], f["reason"]) for f in runs.failures] == [
        ("nginx", "bad", 2, "it is gone")]


def test_a_failed_case_fails_all_its_points(monkeypatch):
    def case(run):
        with run.point("good") as put:
            put(rate=5)
        if run.rival.name == "haproxy":
            raise RuntimeError("it did not start")

    assert report.cell(run(monkeypatch, case).rows()[0], "haproxy") == "failed 3x"


def test_when_time_is_over_every_case_had_a_round(monkeypatch):
    order = []
    runs = run(monkeypatch, lambda run: order.append((run.number, run.workers)), minutes=0,
               workers=(1, 2))
    assert set(order) == {(0, 1), (0, 2)}
    assert runs.cut_short


def test_targets_stand_for_the_first_number_of_workers(monkeypatch):
    def case(run):
        with run.point("64 B, 64 connections") as put:
            put(**{"CPU per message": 5})

    one, two = run(monkeypatch, case, workers=(1, 2)).rows()
    assert (one.workers, one.measure.target) == (1, report.Target(0.92))
    assert (two.workers, two.measure.target) == (2, None)


def sampler_with(samples):
    sampler = measure.CpuSampler([])
    sampler._samples = samples
    return sampler


def test_cpu_is_read_between_samples():
    sampler = sampler_with([(10, 0), (11, 100), (12, 500), (13, 500)])
    assert sampler.rate(10.5, 12.5) == pytest.approx((500 - 50) / 2)
    assert sampler.rate(11, 12) == pytest.approx(400)


def test_who_has_ended_has_no_figure():
    with pytest.raises(RuntimeError, match="has ended"):
        sampler_with([(10, 0), (11, 100)]).rate(10, 12)
