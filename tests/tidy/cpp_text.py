# SPDX-License-Identifier: Apache-2.0
"""Reads C++ as text, well enough for the rules: blanks out comments and literals, finds functions.

No parser: it has to be quick, and right for code that clang-format has laid out.
"""

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def blank(text, keep_strings=False):
    """`text` without comments and literals, every other character in its old place."""

    def replace(match):
        piece = match.group(0)
        if piece.startswith(('"', "'", 'R"')):
            if keep_strings:
                return piece
            return piece[0] + re.sub(r'[^\n]', ' ', piece[1:-1]) + piece[-1]
        return re.sub(r'[^\n]', ' ', piece)

    return _TOKEN.sub(replace, text)


def line_of(text, offset):
    return text.count('\n', 0, offset) + 1


def includes(text):
    """[(line, path)] of all includes, quoted or not."""
    code = blank(text, keep_strings=True)
    return [(line_of(code, m.start()), m.group(1))
            for m in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', code, re.MULTILINE)]


class Function(NamedTuple):
    name: str
    first: int  # line of the signature
    last: int   # line of the closing brace

    @property
    def lines(self):
        return self.last - self.first + 1


_DIRECTIVE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.MULTILINE)
_SCOPE = re.compile(r'^(?:inline\s+)?namespace\b|^extern\s*"[^"]*"$')
_TYPE = re.compile(r'^(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union|enum)\b', re.DOTALL)
_ATTRIBUTE = re.compile(r'\b(?:alignas|decltype|noexcept|requires|__attribute__)\s*'
                        r'\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[\[[^\]]*\]\]')
_STOP = re.compile(r'[(\[{};:]')
_LABEL = re.compile(r'^\s*(?:public|protected|private)\s*:')


def _opens_scope(head):
    plain = _ATTRIBUTE.sub(' ', head).strip()
    return bool(_SCOPE.match(plain) or _TYPE.match(plain) and not plain.endswith(')'))


def _opens_body(head):
    """Whether a brace after `head` (all since the last statement) opens a function's body."""
    plain = _ATTRIBUTE.sub(' ', head).strip()
    if '(' not in plain or plain.endswith(('=', ',', '(')):
        return False
    assign = re.search(r'(?<![=!<>+\-*/&|^])=(?!=)', plain)
    if assign and assign.start() < plain.index('(') and 'operator' not in plain:
        return False
    # A constructor's initializers: `: a_{1}, b_(2) {`.  Only a brace after `)` or `}` is the body.
    initializers = re.search(r'\)\s*(?:noexcept\s*)?:(?!:)', plain)
    return not initializers or plain.endswith((')', '}'))


def _name(head):
    head = _ATTRIBUTE.sub(' ', head)
    match = re.search(r'((?:[\w~]+(?:<[^<>()]*>)?::)*(?:operator\s*[^\s(]+|~?\w+))\s*\(', head)
    if match and match.group(1).startswith('TEST'):
        return ' '.join(head.split())
    return match.group(1) if match else '?'


def closing(code, offset):
    """Where the bracket at `offset` of blanked code ends."""
    depth = 0
    for match in re.compile(r'[{}()\[\]]').finditer(code, offset):
        depth += 1 if match.group(0) in '{([' else -1
        if depth == 0:
            return match.start()
    return len(code) - 1


def functions(text):
    """Every function (and TEST) at namespace or class scope, with its first and last line."""
    code = _DIRECTIVE.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), blank(text))
    found, start, offset = [], 0, 0
    while match := _STOP.search(code, offset):
        char, at, offset = match.group(0), match.start(), match.end()
        head = code[start:at]
        if char in '([':
            offset = closing(code, at) + 1
        elif char in '};' or char == ':' and _LABEL.match(head + char):
            start = offset
        elif char == '{' and _opens_scope(head):
            start = offset
        elif char == '{':
            end = closing(code, at)
            offset = end + 1
            if _opens_body(head):
                first = line_of(code, start + len(head) - len(head.lstrip()))
                found.append(Function(_name(head), first, line_of(code, end)))
                start = offset
    return found
