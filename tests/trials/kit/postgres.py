# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of one's own, with a folder of its own; as root it runs as user postgres.

Used by programs_postgres.py and K01.
"""

import glob
import signal

from kit.programs import Server, as_user, free_port, own_folder, run

OPTIONS = {"fsync": "off", "full_page_writes": "off", "synchronize_seqscans": "off",
           "autovacuum": "off", "max_wal_size": "2GB", "unix_socket_directories": "",
           "listen_addresses": "127.0.0.1"}


def program(name):
    return sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))[-1]


def postgres(stage):
    """Starts it; anybody is let in as its user postgres."""
    user, folder = own_folder(stage, "postgres")
    run(as_user(user, [program("initdb"), "-D", f"{folder}/data", "-U", "postgres", "-A", "trust",
                       "--no-sync"]), 20, cwd=folder)
    port = free_port()
    settings = [word for pair in OPTIONS.items() for word in ("-c", "=".join(pair))]
    command = [program("postgres"), "-D", f"{folder}/data", "-p", str(port), *settings]
    return stage.backend(Server(as_user(user, command), port, cwd=folder,
                                stop_signal=signal.SIGINT))
