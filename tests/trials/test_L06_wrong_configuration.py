# SPDX-License-Identifier: Apache-2.0
"""L06: a wrong configuration changes nothing, says what is wrong, and is no end of reloading.

Reload (by the API and by SIGHUP) with: a syntax error; an unknown key; two listeners of one name; a
listener on the port of another process; no file; an empty file.  A client echoes during all of it.
Expected: the error names the file and, where there is one, the line; the old configuration serves
everybody; the API answers 400 (of a taken port 409) and says why; status and metrics tell of the
failure.  Then a right file is taken over.
"""

import copy
import signal
import socket

from kit import Echo, limit, only_l4lb, wait_until
from kit.api import Api, rewrite
from kit.configuration import yaml
from kit.ends import echoes

import pytest


def syntax(config, _taken):
    return "\n".join(yaml(config)) + "\nlog: ]\n", ":{last}:"


def unknown_key(config, _taken):
    return "\n".join(yaml(config)) + "\nlissteners: 3\n", ":{last}:1: unknown key \"lissteners\""


def same_name(config, _taken):
    config["listeners"].append({**config["listeners"][0], "bind": ["127.0.0.1:1"]})
    return "\n".join(yaml(config)) + "\n", "is there twice; the first is in line "


def port_taken(config, taken):
    config["listeners"].append({**config["listeners"][0], "name": "other",
                                "bind": ["127.0.0.1:%d" % taken.getsockname()[1]]})
    return "\n".join(yaml(config)) + "\n", "127.0.0.1:%d" % taken.getsockname()[1]


def no_file(_config, _taken):
    return None, "l4lb.yaml: the file cannot be read: no such file or directory"


def empty(_config, _taken):
    return "", "l4lb.yaml:1:1: the file is empty"


def write(target, text):
    if text is None:
        target.config_path.unlink()
    else:
        rewrite(target, text=text)


def failures(api):
    config = api.get("/v1/status")["config"]
    return config["reloads_failed"], config["last_error"]


def expect_refused(target, api, status, expected):
    """By both ways; `expected` is in what is answered, logged and shown."""
    before, _ = failures(api)
    answer = api.ask("POST", "/v1/reload")
    assert answer.status == status and expected in answer.json["error"]["what"], answer
    seen = len(target.stderr)
    target.signal(signal.SIGHUP)
    wait_until(lambda: expected in "\n".join(target.stderr[seen:]), limit(2),
               f"`{expected}` in the log")
    count, error = failures(api)
    assert count == before + 2 and expected in error
    assert api.metrics()["l4lb_config_last_reload_ok"] == 0


@pytest.mark.parametrize("wrong", [syntax, unknown_key, same_name, port_taken, no_file, empty])
@only_l4lb
def test_L06_wrong_configuration(stage, way, wrong):
    target = stage.target(way, [stage.backend(Echo())])
    api, client = Api(target), stage.connect(target)
    before = api.ask("GET", "/v1/config").body
    with socket.create_server(("127.0.0.1", 0)) as taken:
        text, expected = wrong(copy.deepcopy(target.config), taken)
        write(target, text)
        expect_refused(target, api, 409 if wrong is port_taken else 400,
                       expected.format(last=text.count("\n") if text else 0))
    assert echoes(client) and echoes(stage.connect(target))
    assert api.ask("GET", "/v1/config").body == before

    target.config["listeners"][0]["idle_timeout"] = "17m"
    rewrite(target)
    changes = api.reload()["changes"]
    assert len(changes) == 1 and "17m" in changes[0], changes
    assert api.metrics()["l4lb_config_last_reload_ok"] == 1
    assert failures(api)[1] == ""
    assert echoes(client) and echoes(stage.connect(target))
    stage.close_clients()
    target.quiet()
