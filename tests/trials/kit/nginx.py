# SPDX-License-Identifier: Apache-2.0
"""nginx as a backend that serves a folder's files, with TLS or without; no root needed.

Used by programs_http.py and programs_tls.py.
"""

import os
import subprocess

from kit.programs import Server, free_port

CONFIG = """
{user}
worker_processes 1;
worker_rlimit_nofile 4096;
daemon off;
error_log stderr crit;
pid {folder}/nginx.pid;
events {{ worker_connections 2000; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096 {ssl};
    {certificate}
    location / {{ root {folder}; }}
  }}
}}
"""


def certificate(folder):
    """Makes a certificate for localhost; returns the paths of it and of its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-out", str(cert), "-keyout", str(key)],
                   capture_output=True, check=True, timeout=60)
    return cert, key


def nginx(stage, folder, tls=None):
    """Starts it; `tls` is (certificate, key)."""
    port = free_port()
    config = folder / "nginx.conf"
    lines = "ssl_certificate {}; ssl_certificate_key {};".format(*tls) if tls else ""
    config.write_text(CONFIG.format(
        user="user root;" if os.geteuid() == 0 else "", folder=folder, port=port,
        ssl="ssl" if tls else "", certificate=lines), encoding="utf-8")
    return stage.backend(Server(["/usr/sbin/nginx", "-e", "stderr", "-p", str(folder),
                                 "-c", str(config)], port))
