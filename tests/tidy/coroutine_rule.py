# SPDX-License-Identifier: Apache-2.0
"""`co_await` stands alone.

GCC 12 miscompiles co_await beside temporaries: it destroys them twice, or stops with an internal
error in `a && co_await b`.  What is safe, and all that this rule lets pass:

    co_await f(y);      x = co_await f(y);      auto x = co_await f(y);

where f(y) is a call or a name, and whatever has a destructor is a named local before.
"""

import re

from tidy import cpp_text
from tidy.findings import Finding, is_cpp

_CONTROL = re.compile(r'(?:if(?:\s+constexpr)?|for|while|switch)\s*(?=\()|(?:else|do)\b|'
                      r'case\b[^:?]*(?:::[^:?]*)*:(?!:)|default\s*:|\w+\s*:(?!:)')
_TARGET = re.compile(r'(?:(?:const\s+)?[\w:]+(?:<[\w:,<>\s*&]*>)?[\s*&]+)?[\w.:*>\[\]-]+\s*=')
_CHAIN = re.compile(r'\*?[\w:]+(?:<[\w:, ]*>)?(?:\(\))?(?:(?:\.|->)\w+(?:\(\))?)*')
_OWNER = re.compile(r'\b(?:std|absl)::(?:move|forward|make_\w+|string|vector|function|optional|'
                    r'unique_ptr|shared_ptr|Str\w+|AnyInvocable)\b[^(]*\(|\[[&=\w\s,]*\]\s*[({]')
_BLOCK_AFTER = re.compile(r'(?:[){};:]|\b(?:else|do|try|const|noexcept|mutable|override)|'
                          r'->\s*[\w:<>*&\s]+)\s*$')


def _statement_prefix(code, at):
    """The statement's text before `at`, or None when `at` is inside brackets of an expression."""
    depth = 0
    for offset in range(at - 1, -1, -1):
        char = code[offset]
        if char in ')]':
            depth += 1
        elif char in '([':
            if depth == 0:
                return None
            depth -= 1
        elif depth == 0 and char in ';}':
            return code[offset + 1:at]
        elif depth == 0 and char == '{':
            return code[offset + 1:at] if _BLOCK_AFTER.search(code[:offset][-200:]) else None
    return code[:at]


def _strip_control(prefix):
    """`if (ready) else case 3: x =` -> `x =`."""
    prefix = prefix.strip()
    while match := _CONTROL.match(prefix):
        end = match.end()
        if prefix[end:end + 1] == '(':
            end = cpp_text.closing(prefix, end) + 1
        prefix = prefix[end:].strip()
    return prefix


def _operand(code, start):
    end = start
    while end < len(code) and code[end] != ';':
        end = cpp_text.closing(code, end) + 1 if code[end] in '([{' else end + 1
    return code[start:end].strip()


def _without_arguments(operand):
    out, offset = '', 0
    while offset < len(operand):
        if operand[offset] == '(':
            offset = cpp_text.closing(operand, offset)
            out += '('
        else:
            out += operand[offset]
            offset += 1
    return re.sub(r'\s+', ' ', out).strip()


def _problem(code, at, end):
    prefix = _statement_prefix(code, at)
    if prefix is None:
        return 'inside brackets'
    prefix = _strip_control(prefix)
    if prefix and not _TARGET.fullmatch(prefix):
        return f'after `{" ".join(prefix.split())}`'
    operand = _operand(code, end)
    if '{' in operand:
        return 'with braces in its operand'
    if not _CHAIN.fullmatch(_without_arguments(operand)):
        return 'of something that is no call and no name'
    if _OWNER.search(operand):
        return 'with a temporary that has a destructor'
    return None


def coroutines(path, text):
    if not is_cpp(path):
        return []
    code = cpp_text.blank(text)
    return [Finding(path, cpp_text.line_of(code, match.start()), 'co_await',
                    f'co_await {problem}: it must stand alone (x = co_await f(y);)')
            for match in re.finditer(r'(?<!operator )\bco_await\b', code)
            if (problem := _problem(code, match.start(), match.end()))]
