#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one ctest run out of the tests of several build folders, for `./dev test`.

    merge_tests.py build/all release=quick,timed asan=quick ...

writes build/all/CTestTestfile.cmake with `asan/pump_test` and so on: the tests of build/asan that
have one of the labels.  A test that cannot pass since its build failed is among them and fails,
so that the one summary at the end tells all.  `timed` tests run alone.
"""

import json
import os
import subprocess
import sys

# Of the properties that ctest lists, those that CMake accepts back.
KEPT = {'ENVIRONMENT', 'WORKING_DIRECTORY', 'TIMEOUT', 'RUN_SERIAL', 'PROCESSORS', 'RESOURCE_LOCK',
        'SKIP_RETURN_CODE', 'WILL_FAIL'}


def quote(word):
    return f'[==[{word}]==]'


def tests_of(build, labels):
    """The tests of one build folder as ctest describes them; None when it has no configuration."""
    if not os.path.exists(os.path.join(build, 'CTestTestfile.cmake')):
        return None
    listing = subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1',
                              '-L', '^(' + '|'.join(labels) + ')$'],
                             check=True, capture_output=True, text=True)
    return json.loads(listing.stdout)['tests']


def lines_of(name, command, properties):
    yield f'add_test({quote(name)} {" ".join(map(quote, command))})'
    words = []
    for key, value in properties.items():
        value = ';'.join(value) if isinstance(value, list) else str(value)
        words.append(f'{key} {quote(value)}')
    yield f'set_tests_properties({quote(name)} PROPERTIES {" ".join(words)})'


def merge(preset, labels, build, root):
    targets = ['tsan_tests'] if labels == ['tsan'] else []
    yield from lines_of(f'{preset}/build', [f'{root}/dev', 'build', preset, *targets],
                        {'LABELS': [preset, 'build'], 'TIMEOUT': 1800, 'RUN_SERIAL': 1})
    for test in tests_of(build, labels) or []:
        properties = {p['name']: p['value'] for p in test['properties']}
        own = properties.get('LABELS', [])
        kept = {key: value for key, value in properties.items() if key in KEPT}
        kept['LABELS'] = [preset, *(label for label in own if label != 'tsan')]
        kept['RUN_SERIAL'] = int('timed' in own or bool(kept.get('RUN_SERIAL')))
        yield from lines_of(f'{preset}/{test["name"]}', test.get('command', ['/bin/false']), kept)


def main():
    output, *selections = sys.argv[1:]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    lines = list(lines_of('lint', [f'{root}/dev', 'lint'],
                          {'LABELS': ['lint'], 'TIMEOUT': 900, 'RUN_SERIAL': 1}))
    for selection in selections:
        preset, labels = selection.split('=')
        lines += merge(preset, labels.split(','), f'{root}/build/{preset}', root)
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, 'CTestTestfile.cmake'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
