# SPDX-License-Identifier: Apache-2.0
"""Applies the rules of tests/tidy to this repository.  Run by ctest and by `./dev lint`.

A file may break a rule on purpose, when it says why: `tidy-allow: RULE: the reason`.
tests/tidy_selftest.py shows that every rule catches what it is for.
"""

import json
import os
import shutil
import statistics
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from tidy import coroutine_rule, findings, room_rules, text_rules  # noqa: E402

FILES = findings.read_tree(ROOT)

# Rules that look at one file: rule(path, text).
FILE_RULES = [
    text_rules.spdx, text_rules.plain_characters, text_rules.unfinished, text_rules.banned_calls,
    text_rules.sizes, text_rules.architecture, coroutine_rule.coroutines,
    room_rules.engine_headers,
]

# Rules that look at one file among the others: rule(path, files).
TREE_RULES = [
    room_rules.include_direction, room_rules.own_header_first, room_rules.cmake_depends,
    room_rules.dead_file,
]


def check(found):
    left = findings.drop_allowed(found, FILES)
    if left:
        pytest.fail('\n'.join(map(str, left)), pytrace=False)


@pytest.mark.parametrize('rule', FILE_RULES, ids=lambda rule: rule.__name__)
def test_file(rule):
    check([finding for path, text in FILES.items() for finding in rule(path, text)])


@pytest.mark.parametrize('rule', TREE_RULES, ids=lambda rule: rule.__name__)
def test_tree(rule):
    check([finding for path in FILES for finding in rule(path, FILES)])


def test_links():
    def exists(path):
        return os.path.exists(os.path.join(ROOT, path))

    check([finding for path in FILES for finding in text_rules.links(path, FILES, exists)])


def test_every_header_compiles_alone():
    build = os.environ.get('L4LB_BUILD_DIR')
    if build is None:
        pytest.skip('only ctest knows the build folder')
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        compiled = [entry['file'] for entry in json.load(file)]
    check(room_rules.headers_compiled(FILES, compiled))


def test_shellcheck():
    scripts = [path for path, text in FILES.items() if findings.is_shell(path, text)]
    assert {'dev', '.ci/run'} <= set(scripts)
    assert shutil.which('shellcheck'), 'not installed: ./dev setup'
    check(text_rules.shellcheck(ROOT, scripts))


def _percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def test_print_sizes(capsys):
    """The figures of the daemon, to be compared with: median 130 lines, 7 and 26 a function."""
    daemon = {p: t for p, t in FILES.items() if p.startswith('l4lb/') and findings.is_cpp(p)}
    files = [text.count('\n') for text in daemon.values()]
    functions = [n for p, t in daemon.items() for _, _, n in text_rules.function_lines(p, t)]
    assert files and functions
    with capsys.disabled():
        for what, lines in (('file', files), ('function', functions)):
            print(f'\nl4lb: {len(lines)} {what}s, lines: median {statistics.median(lines):g}, '
                  f'p90 {_percentile(lines, 0.9)}, max {max(lines)}', end='')
        print()
