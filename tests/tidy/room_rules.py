# SPDX-License-Identifier: Apache-2.0
"""Which room may include which, and that CMake says the same."""

import os
import re

from tidy import cpp_text
from tidy.findings import Finding, is_cpp

# A room may include whatever it reaches by these arrows.
ARROWS = {
    'main': {'server', 'config'},
    'server': {'admin', 'proxy', 'health', 'config'},
    'health': {'engine', 'observe', 'net'},
    'admin': {'observe', 'config'},
    'proxy': {'backend', 'engine', 'observe', 'net'},
    'backend': {'balance', 'engine', 'observe', 'net'},
    'balance': {'maglev', 'ring'},
    'engine': {'net'},
    'config': {'net'},
    'observe': {'net'},
    'net': set(),
    'maglev': set(),
    'ring': set(),
}


# Rooms that are libraries of their own: they include themselves, abseil, xxHash and the standard
# library, and nothing else.
LIBRARIES = {'maglev', 'ring'}


def reachable(room):
    seen, queue = set(), [room]
    while queue:
        for other in ARROWS[queue.pop()] - seen:
            seen.add(other)
            queue.append(other)
    return seen


def room_of(path):
    """`l4lb/net/clock.h` -> net; None for what is no room."""
    parts = path.split('/')
    if parts[0] in LIBRARIES:
        return parts[0]
    if parts[0] != 'l4lb':
        return None
    return parts[1] if len(parts) > 2 else 'main'


def _is_wrong_path(header, path, files):
    """A neighbour by its bare name, or a file of the tests; all else is a library's."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), header))
    return beside in files or header.startswith(('tests/', 'tools/', 'benchmarks/', '.'))


def _is_of_library(header):
    """abseil, xxHash, or the standard library: no folder and no suffix."""
    return header.startswith('absl/') or header == 'xxhash.h' or bool(re.fullmatch(r'\w+', header))


def include_direction(path, files):
    room = room_of(path)
    if room is None or not is_cpp(path):
        return []
    if room not in ARROWS:
        return [Finding(path, 1, 'include', f'{room} is no room: draw its arrows in room_rules.py')]
    found = []
    for line, header in cpp_text.includes(files[path]):
        other = room_of(header)
        if other is None and _is_wrong_path(header, path, files):
            found.append(Finding(path, line, 'include', f'"{header}" is no path from the root'))
        elif other is None:
            if room in LIBRARIES and not _is_of_library(header):
                found.append(Finding(path, line, 'include', f'{room} may not depend on {header}'))
        elif other != room and other not in reachable(room):
            found.append(Finding(path, line, 'include', f'{room} may not include {other}'))
    return found


def engine_headers(path, text):
    """Nobody above the seam knows which engine it is."""
    if not is_cpp(path) or path.startswith(('l4lb/engine/', 'tests/engine/')):
        return []
    return [Finding(path, line, 'engine-header', f'"{header}" is private to l4lb/engine')
            for line, header in cpp_text.includes(text)
            if re.match(r'l4lb/engine/(?:epoll|uring)_', header)]


def own_header_first(path, files):
    """x.cc includes x.h before anything else: so the build proves that x.h compiles alone."""
    header = path[:-3] + '.h'
    if not path.endswith('.cc') or header not in files:
        return []
    code = cpp_text.blank(files[path], keep_strings=True)
    first = re.search(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)', code, re.MULTILINE)
    if first and first.group(1) == header:
        return []
    return [Finding(path, 1, 'own-header', f'the first include is not "{header}"')]


def lonely_headers(files):
    """Headers without a .cc of their name: CMake's header_check compiles each of them alone."""
    return sorted(path for path in files
                  if path.endswith('.h') and path[:-2] + '.cc' not in files
                  and path.startswith(('l4lb/', 'maglev/', 'ring/', 'tests/', 'tools/')))


def headers_compiled(files, compiled):
    """`compiled`: the paths of the translation units of the build."""
    return [Finding(header, 1, 'header-alone', 'nothing compiles it alone: see header_check')
            for header in lonely_headers(files)
            if not any(unit.endswith(f'header_check/{header}.cc') for unit in compiled)]


def _rooms_of_cmake(text):
    """[(name, rooms among DEPENDS)] of the l4lb_room calls of a CMakeLists.txt."""
    for call in re.findall(r'\bl4lb_room\(([^)]*)\)', re.sub(r'#[^\n]*', '', text)):
        words = call.split()
        cut = words.index('DEPENDS') if 'DEPENDS' in words else len(words)
        yield words[0], {w[len('l4lb_'):] for w in words[cut:] if w.startswith('l4lb_')}


def cmake_depends(path, files):
    """DEPENDS of a room = the rooms that its files include, within the arrows."""
    room = room_of(path)
    if os.path.basename(path) != 'CMakeLists.txt' or room not in ARROWS or room == 'main':
        return []
    found, depends = [], set()
    for name, rooms in _rooms_of_cmake(files[path]):
        depends |= rooms
        found += [Finding(path, 1, 'depends', f'{name} may not depend on {other}')
                  for other in sorted(rooms & ARROWS.keys() - reachable(room) - {room})]
    mine = [p for p in files if os.path.dirname(p) == os.path.dirname(path) and is_cpp(p)]
    included = {room_of(header) for p in mine for _, header in cpp_text.includes(files[p])}
    found += [Finding(path, 1, 'depends', f'{room} includes {other} but does not depend on it')
              for other in sorted((included & reachable(room)) - depends - LIBRARIES)]
    return found


def dead_file(path, files):
    """A source that no CMakeLists.txt of its folder, or of one above, names."""
    if not path.endswith('.cc'):
        return []
    folder = os.path.dirname(path)
    while folder:
        text = files.get(f'{folder}/CMakeLists.txt', '')
        if re.search(rf'(?<![\w./]){re.escape(os.path.relpath(path, folder))}(?!\w)', text):
            return []
        folder = os.path.dirname(folder)
    return [Finding(path, 1, 'dead-file', 'no CMakeLists.txt names it')]
