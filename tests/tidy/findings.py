# SPDX-License-Identifier: Apache-2.0
"""What a rule returns, and which files of the repository the rules look at."""

import os
import re
from typing import NamedTuple

SKIPPED_FOLDERS = {'build', 'node_modules', '__pycache__', '.git', '.cache', '.pytest_cache'}


class Finding(NamedTuple):
    path: str
    line: int
    rule: str
    what: str

    def __str__(self):
        return f'{self.path}:{self.line}: {self.what} [{self.rule}]'


def read_tree(root):
    """{path relative to root: text} of every text file of the repository."""
    files = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            full = os.path.join(folder, name)
            try:
                with open(full, encoding='utf-8') as file:
                    files[os.path.relpath(full, root)] = file.read()
            except (UnicodeDecodeError, FileNotFoundError):
                continue  # a picture, or a dangling link
    return files


_ALLOW = re.compile(r'tidy-allow: ([\w-]+): \S.{9,}')


def allowed(text):
    """The rules that this file breaks on purpose: `tidy-allow: RULE: the reason`."""
    return {match.group(1) for match in _ALLOW.finditer(text)}


def drop_allowed(findings, files):
    return [f for f in findings if f.rule not in allowed(files.get(f.path, ''))]


def is_cpp(path):
    return path.endswith(('.cc', '.h'))


def is_shell(path, text):
    return path.endswith('.sh') or bool(re.match(r'#!.*\b(?:ba)?sh\b', text))


def is_source(path, text):
    name = os.path.basename(path)
    return (is_cpp(path) or path.endswith(('.py', '.cmake', '.js', '.mjs', '.ts', '.css'))
            or name == 'CMakeLists.txt' or text.startswith('#!') or is_shell(path, text))
