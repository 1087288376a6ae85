# SPDX-License-Identifier: Apache-2.0
"""The configuration file of a Daemon, made from the options of a trial.

Options, all of them optional:
  idle_timeout half_close_timeout backlog accept_rate per_source bind   of the listener "default";
    listener_max_connections is its max_connections
  connect_timeout retries dead_after keepalive policy source queue hash_key table_size points
  bounded_load max_connection_age on_remove health_check eject fail_open slow_start on_down
    of the pool "default";
    pool_max_connections is its max_connections
  workers buffers max_connections drain_timeout drain_spread shutdown_delay watch admin log user
    of the process;
    L4LB_WORKERS in the environment sets another default than 2
  weights limits backups  one per backend: weight, max_connections and backup
  listeners pools   lists of mappings as in the file, in place of the ones made from the above
Backends are called by their `name`, or b1, b2, ...
"""

import json
import os
import re

WORKERS = int(os.environ.get("L4LB_WORKERS", "2"))
OF_LISTENER = ("idle_timeout", "half_close_timeout", "backlog", "accept_rate", "per_source", "bind")
OF_POOL = ("policy", "connect_timeout", "retries", "keepalive", "dead_after", "source", "queue",
           "hash_key", "table_size", "points", "bounded_load", "max_connection_age", "on_remove",
           "health_check", "eject", "fail_open", "slow_start", "on_down")
OF_PROCESS = ("workers", "buffers", "max_connections", "drain_timeout", "drain_spread",
              "shutdown_delay", "watch", "admin", "log", "user")
OF_BACKEND = ("weights", "limits", "backups")
OWN_LIMITS = ("listener_max_connections", "pool_max_connections")
OPTIONS = {*OF_LISTENER, *OF_POOL, *OF_PROCESS, *OF_BACKEND, *OWN_LIMITS, "listeners", "pools"}


def yaml(value, indent=0):
    """Lines of block YAML for mappings, lists, numbers and strings."""
    pad = " " * indent
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                yield f"{pad}{key}:"
                yield from yaml(item, indent + 2)
            else:
                yield f"{pad}{key}: {_scalar(item)}"
    else:
        for item in value:
            if isinstance(item, dict):
                first, *rest = yaml(item, indent + 2)
                yield f"{pad}- {first.strip()}"
                yield from rest
            else:
                yield f"{pad}- {_scalar(item)}"


def _scalar(value):
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if re.fullmatch(r"[\w.]+", str(value)) else json.dumps(value)


def endpoint(backend):
    """Its address as the file has it: host:port, [v6]:port or unix:/path."""
    if path := getattr(backend, "path", None):
        return f"unix:{path}"
    host = f"[{backend.host}]" if ":" in backend.host else backend.host
    return f"{host}:{backend.port}"


def members(backends, weights=None, limits=None, backups=None):
    """The entries of `backends:` for these."""
    entries = [{"name": b.name or f"b{i + 1}", "address": endpoint(b)}
               for i, b in enumerate(backends)]
    for key, values in (("weight", weights), ("max_connections", limits), ("backup", backups)):
        for entry, value in zip(entries, values or [], strict=values is not None):
            entry[key] = value
    return entries


def service(name, backends, listener=None, **pool):
    """A listener `name` on a free port and its pool of the same name, as (listener, pool);
    `weights`, `limits` and `backups` are as above."""
    entries = members(backends, *(pool.pop(key, None) for key in OF_BACKEND))
    return ({"name": name, "bind": ["127.0.0.1:0"], "pool": name, **(listener or {})},
            {"name": name, "policy": "round_robin", **pool, "backends": entries})


def configuration(engine, backends, log_path, options):
    """The file as a mapping."""
    pick = lambda keys: {key: options[key] for key in keys if key in options}
    limits = {key.partition("_")[0]: {"max_connections": options[key]}
              for key in OWN_LIMITS if key in options}
    # Not the usual admin port, which only one of the daemons at a time gets without a warning.
    config = {"engine": engine, "workers": WORKERS, "drain_timeout": "1s",
              "admin": {"bind": "127.0.0.1:0"}, **pick(OF_PROCESS)}
    if log_path:
        config["access_log"] = {"path": str(log_path), "format": "json"}
    listener, pool = service(
        "default", backends, {**pick(OF_LISTENER), **limits.get("listener", {})},
        **pick(OF_POOL), **pick(OF_BACKEND), **limits.get("pool", {}))
    config["listeners"] = options.get("listeners") or [listener]
    config["pools"] = options.get("pools") or [pool]
    return config
