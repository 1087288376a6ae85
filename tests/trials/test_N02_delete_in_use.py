# SPDX-License-Identifier: Apache-2.0
"""N02: backends that are in use are deleted.

1,000 (in CI 200) long connections over 10 backends, and 20 that are still connecting to two more,
which do not answer; all 12 are deleted by the API while 10 others are added, and new clients keep
coming.  Expected: no crash and no report of a sanitizer; the old sessions go on until `on_remove`
is over and end as `drained`; those that were connecting end, or find another; new traffic only at
the new ones; nothing is left of the old ones.
"""

import threading

from kit import Blackhole, Ident, limit, only_l4lb, scaled, wait_until
from kit.api import Api
from kit.configuration import members
from kit.ends import await_close, echoes, open_named, reasons_of, visit

SESSIONS, PENDING = scaled(200, 1000), 20
DRAIN = 1


def delete_all(api, old, new):
    """An old one out, a new one in, by turns."""
    for number in range(max(len(old), len(new))):
        if number < len(new):
            api.add(new[number])
        if number < len(old):
            api.delete(f"/v1/pools/default/backends/{old[number].name}")


@only_l4lb
def test_N02_delete_in_use(stage, way):
    old = [stage.backend(Ident(name=f"old{i}", forked=True)) for i in range(10)]
    silent = [stage.backend(Blackhole(name=f"silent{i}")) for i in range(2)]
    new = [stage.backend(Ident(name=f"new{i}", forked=True)) for i in range(10)]
    pool = {"name": "default", "policy": "round_robin", "connect_timeout": "1m",
            "on_remove": {"drain": f"{DRAIN}s"}, "backends": members(old)}
    target = stage.target(way, [], pools=[pool])
    api = Api(target)
    clients = [sock for socks in open_named(stage, target, SESSIONS).values() for sock in socks]
    for backend in old:
        api.patch(f"/v1/pools/default/backends/{backend.name}", {"weight": 0})
    for backend in silent:
        api.add(backend)
    pending = [stage.connect(target) for _ in range(PENDING)]
    wait_until(lambda: sum(api.backends()[b.name]["active"] for b in silent) == PENDING, limit(2),
               "sessions that connect")
    for backend in old:
        api.patch(f"/v1/pools/default/backends/{backend.name}", {"weight": 1})
    for backend in silent:
        api.patch(f"/v1/pools/default/backends/{backend.name}", {"weight": 0})

    found, end = [], threading.Event()

    def keep_coming():
        while not end.is_set():
            found.append(visit(target))

    visitor = threading.Thread(target=keep_coming)
    visitor.start()
    delete_all(api, [*silent, *old], new)
    under_way = len(found) + 1
    assert all(echoes(client) for client in clients[::10])
    for client in clients:
        await_close(client, within=limit(DRAIN + 1))
    end.set()
    visitor.join()
    after = found[under_way:]
    assert after and all(name.startswith("new") for name in after), after
    assert set(reasons_of(target, clients)) == {"drained"}
    for client in pending:
        await_close(client, within=limit(DRAIN + 1))
    assert set(reasons_of(target, pending)) == {"drained"}
    wait_until(lambda: set(api.backends()) == {b.name for b in new}, limit(2),
               "the old ones to be forgotten")
    stage.close_clients()
    target.quiet()
