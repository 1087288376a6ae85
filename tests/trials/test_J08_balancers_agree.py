# SPDX-License-Identifier: Apache-2.0
"""J08: two balancers with the same backends must agree, whatever the order of their lists.

Five backends by name; instance 1 lists them as they are, instance 2 reversed and with two workers
more; 500 source addresses.  What a backend is called is its identity: with other names the places
differ.  Expected: 500 of 500 the same; the same checksum at the start, and by
`--check --dump_table`; another checksum with other names.
"""

import re
import subprocess

from kit import Ident, only_l4lb, scaled
from kit.configuration import members
from kit.daemon import BINARY, write_configuration
from kit.ends import visit

import pytest

SOURCES = [f"127.0.{2 + i // 250}.{1 + i % 250}" for i in range(scaled(200, 500))]


def checksum(target):
    return re.search(r"checksum ([0-9a-f]{16})", "\n".join(target.stdout)).group(1)


@pytest.mark.parametrize("policy", ["maglev", "ring"])
@only_l4lb
def test_J08_same_places(stage, way, policy):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(5)]
    one = stage.target(way, backends, policy=policy)
    two = stage.target(way, backends[::-1], policy=policy, workers=4)
    places = [visit(one, source=source) for source in SOURCES]
    assert places == [visit(two, source=source) for source in SOURCES]
    assert checksum(one) == checksum(two)
    assert len(set(places)) == 5


@pytest.mark.parametrize("policy", ["maglev", "ring"])
@only_l4lb
def test_J08_dumped_tables(stage, way, policy):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(5)]

    def dump(name, entries):
        folder = stage.folder / name
        folder.mkdir()
        pool = {"name": "p", "policy": policy, "table_size": 1009, "points": 40,
                "backends": entries}
        path, *_ = write_configuration(way, [], folder, {
            "pools": [pool], "listeners": [{"name": "l", "bind": ["127.0.0.1:0"], "pool": "p"}]})
        subprocess.run([str(BINARY), f"--config={path}", "--check",
                        f"--dump_table={folder / 'table'}"], check=True, timeout=30)
        return (folder / "table").read_text(encoding="ascii")

    entries = members(backends)
    table = dump("one", entries)
    assert len(table.splitlines()) == 1 + (1009 if policy == "maglev" else 5 * 40)
    assert table == dump("two", entries[::-1])
    renamed = [{**entry, "name": f"other-{entry['name']}"} for entry in entries]
    assert table.splitlines()[0] != dump("three", renamed).splitlines()[0]
