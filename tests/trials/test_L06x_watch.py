# SPDX-License-Identifier: Apache-2.0
"""L06x: with `watch: true` the configuration file is taken over whenever it changes.

It is written in place; another is renamed over it; it is reached through a symbolic link to a
folder that is swapped, as Kubernetes mounts a ConfigMap.  Expected: the change is in force within
3 s (in CI 15), once each.  A wrong file is refused once, not again and again, and a right one taken
afterwards.  A file that is gone changes nothing.  `watch: false` in the file ends it.
"""

import os
import time

from kit import Echo, limit, only_l4lb, wait_until
from kit.api import Api, rewrite
from kit.configuration import yaml
from kit.ends import echoes

SOON = 3


def text_of(target, idle_timeout):
    target.config["listeners"][0]["idle_timeout"] = idle_timeout
    return "\n".join(yaml(target.config)) + "\n"


def begin(stage, way):
    target = stage.target(way, [stage.backend(Echo())], watch=True)
    time.sleep(0.6)  # It is being watched.
    return target, Api(target)


def state(api):
    config = api.get("/v1/status")["config"]
    return config["reloads"], config["reloads_failed"]


def expect_taken(api, idle_timeout, reloads):
    wanted = f"idle_timeout: {idle_timeout}".encode()
    wait_until(lambda: wanted in api.ask("GET", "/v1/config").body, limit(SOON), wanted)
    assert state(api) == (reloads, 0)


@only_l4lb
def test_L06x_file(stage, way):
    target, api = begin(stage, way)
    client = stage.connect(target)
    with open(target.config_path, "r+", encoding="utf-8") as file:
        file.write(text_of(target, "11m"))
        file.truncate()
    expect_taken(api, "11m", 1)
    rewrite(target, text=text_of(target, "12m"))
    expect_taken(api, "12m", 2)
    target.config_path.unlink()
    time.sleep(1.2)
    assert state(api) == (2, 0)
    rewrite(target, text=text_of(target, "13m"))
    expect_taken(api, "13m", 3)
    assert echoes(client)
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_L06x_swapped_folder(stage, way):
    target, api = begin(stage, way)
    folder = target.config_path.parent

    def mount(number, idle_timeout):
        version = folder / f"..version{number}"
        version.mkdir()
        (version / "l4lb.yaml").write_text(text_of(target, idle_timeout), encoding="utf-8")
        os.symlink(version.name, folder / "..new")
        os.replace(folder / "..new", folder / "..data")

    mount(1, "11m")
    os.symlink("..data/l4lb.yaml", folder / "link")
    os.replace(folder / "link", target.config_path)
    expect_taken(api, "11m", 1)
    mount(2, "12m")
    expect_taken(api, "12m", 2)
    target.quiet()


@only_l4lb
def test_L06x_wrong_file(stage, way):
    target, api = begin(stage, way)
    rewrite(target, text="pools: 3\n")
    wait_until(lambda: state(api) == (0, 1), limit(SOON), "a refusal")
    time.sleep(2)
    assert state(api) == (0, 1), "it is refused once"
    assert echoes(stage.connect(target))
    target.config["watch"] = False
    rewrite(target, text=text_of(target, "11m"))
    wait_until(lambda: state(api) == (1, 1), limit(SOON), "the right file")
    rewrite(target, text=text_of(target, "12m"))
    time.sleep(2)
    assert state(api) == (1, 1), "it is not watched any more"
    stage.close_clients()
    target.quiet()
