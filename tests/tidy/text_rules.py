# SPDX-License-Identifier: Apache-2.0
"""Rules about one file at a time: licence line, characters, calls, sizes; and the pages of docs."""

import ast
import os
import re
import subprocess

from tidy import cpp_text
from tidy.findings import Finding, is_cpp, is_source

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 70
MAX_ARCHITECTURE_LINES = 80


def spdx(path, text):
    if not is_source(path, text):
        return []
    lines = text.split('\n')
    first = lines[1] if lines[0].startswith('#!') and len(lines) > 1 else lines[0]
    if not text.strip() or re.match(r'(?://|#|/\*) SPDX-License-Identifier: Apache-2\.0', first):
        return []
    return [Finding(path, 1, 'spdx', 'the first line is not the SPDX licence line')]


def plain_characters(path, text):
    if not is_source(path, text):
        return []
    return [Finding(path, number, 'ascii', f'character U+{ord(bad.group(0)):04X}: use ASCII')
            for number, line in enumerate(text.split('\n'), 1)
            if (bad := re.search(r'[^\x20-\x7e\t]', line))]


_UNFINISHED = re.compile(r'\b(?:' + '|'.join(['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX']) + r')\b')


def unfinished(path, text):
    if not is_source(path, text):
        return []
    return [Finding(path, cpp_text.line_of(text, match.start()), 'unfinished',
                    f'{match.group(0)}: finish it, or open an issue')
            for match in _UNFINISHED.finditer(text)]


_BANNED = re.compile(r'(?<![\w.>])(?:std::|::)?'
                     r'(printf|vprintf|puts|exit|abort|system|strcpy|strcat|sprintf|vsprintf|gets|'
                     r'strtok|s?rand)\s*\(|\bstd::(cout)\b')


def banned_calls(path, text):
    if not (path.startswith('l4lb/') and is_cpp(path)):
        return []
    code = cpp_text.blank(text)
    is_program = re.search(r'^int main\(', code, re.MULTILINE)
    return [Finding(path, cpp_text.line_of(code, match.start()), 'banned-call',
                    f'{match.group(1) or match.group(2)} has no place in the daemon')
            for match in _BANNED.finditer(code)
            if not (match.group(2) and is_program)]


def function_lines(path, text):
    """[(name, first line, lines)] of a C++ or Python file."""
    if is_cpp(path):
        return [(f.name, f.first, f.lines) for f in cpp_text.functions(text)]
    if path.endswith('.py'):
        return [(node.name, node.lineno, node.end_lineno - node.lineno + 1)
                for node in ast.walk(ast.parse(text))
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return []


def sizes(path, text):
    if not is_source(path, text):
        return []
    found = []
    lines = text.count('\n')
    if lines > MAX_FILE_LINES:
        found.append(Finding(path, lines, 'file-size', f'{lines} lines, at most {MAX_FILE_LINES}'))
    for name, first, count in function_lines(path, text):
        if count > MAX_FUNCTION_LINES:
            found.append(Finding(path, first, 'function-size',
                                 f'{name} has {count} lines, at most {MAX_FUNCTION_LINES}'))
    return found


_LINK = re.compile(r'!?\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)'
                   r'|^\[[^\]\n]+\]:\s*(\S+)', re.MULTILINE)
_FENCE = re.compile(r'^(```|~~~).*?^\1|`[^`\n]+`', re.MULTILINE | re.DOTALL)


def _anchors(text):
    """The names that GitHub gives to the headings of a page."""
    body = _FENCE.sub(lambda m: m.group(0).strip('`') if m.group(0)[:3] != '```' else '', text)
    return {re.sub(r'[^\w\- ]', '', title.strip().lower()).replace(' ', '-')
            for title in re.findall(r'^#+\s+(.*)$', body, re.MULTILINE)}


def links(path, files, exists):
    """Links of one page to files of this repository; `exists(path)` knows folders and pictures."""
    if not path.endswith('.md'):
        return []
    code = _FENCE.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), files[path])
    found = []
    for match in _LINK.finditer(code):
        target = match.group(1) or match.group(2)
        if re.match(r'[a-z][a-z0-9+.-]*:', target):
            continue
        name, _, anchor = target.partition('#')
        full = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        line = cpp_text.line_of(code, match.start())
        if not exists(full):
            found.append(Finding(path, line, 'link', f'{target} does not exist'))
        elif anchor and full.endswith('.md') and anchor not in _anchors(files[full]):
            found.append(Finding(path, line, 'link', f'{full} has no heading #{anchor}'))
    return found


def shellcheck(root, scripts):
    """What shellcheck says about these files of the folder `root`."""
    done = subprocess.run(['shellcheck', '-x', '-f', 'gcc', *scripts], cwd=root,
                          capture_output=True, text=True, check=False)
    parts = [re.match(r'([^:]+):(\d+):\d+: (.*)', line) for line in done.stdout.splitlines()]
    found = [Finding(p.group(1), int(p.group(2)), 'shellcheck', p.group(3)) for p in parts if p]
    if done.returncode != 0 and not found:
        found = [Finding(root, 0, 'shellcheck', done.stderr.strip())]
    return found


def architecture(path, text):
    lines = text.count('\n')
    if path != 'ARCHITECTURE.md' or lines <= MAX_ARCHITECTURE_LINES:
        return []
    return [Finding(path, lines, 'architecture',
                    f'{lines} lines, at most {MAX_ARCHITECTURE_LINES}: move details to docs/')]
