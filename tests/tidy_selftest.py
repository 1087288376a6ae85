# SPDX-License-Identifier: Apache-2.0
"""Every rule of tests/tidy against one bad snippet that it must catch, and good ones that it
must let pass.  A check that cannot fail is worth nothing."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tidy import coroutine_rule, cpp_text, findings, room_rules, text_rules  # noqa: E402

LICENCE = '// SPDX-License-Identifier: Apache-2.0\n'


def rules_of(found):
    return sorted({finding.rule for finding in found})


def long_function(lines):
    return 'int Long() {\n' + '  Step();\n' * (lines - 2) + '}\n'


# (rule, path, bad text, good text)
FILE_CASES = [
    (text_rules.spdx, 'l4lb/net/a.cc', 'int a;\n', LICENCE + 'int a;\n'),
    (text_rules.spdx, 'dev', '#!/bin/bash\nset -e\n',
     '#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\n'),
    (text_rules.plain_characters, 'l4lb/net/a.cc', '// 5 \u00b5s\n', '// 5 us\n'),
    (text_rules.plain_characters, 'l4lb/net/a.cc', 'int a;\r\n', 'int a;\n'),
    (text_rules.unfinished, 'l4lb/net/a.cc', '// TO' 'DO: later\n', '// todos are counted\n'),
    (text_rules.sizes, 'l4lb/net/a.cc', 'int a;\n' * 401, 'int a;\n' * 400),
    (text_rules.sizes, 'l4lb/net/a.cc', long_function(71), long_function(70)),
    (text_rules.sizes, 'tests/a.py', 'def f():\n' + '  g()\n' * 70, 'def f():\n' + '  g()\n' * 69),
    (text_rules.architecture, 'ARCHITECTURE.md', 'a\n' * 81, 'a\n' * 80),
    (room_rules.engine_headers, 'l4lb/proxy/session.cc', '#include "l4lb/engine/epoll_engine.h"\n',
     '#include "l4lb/engine/engine.h"\n'),
    (room_rules.engine_headers, 'tests/proxy/a_test.cc', '#include <l4lb/engine/uring_abi.h>\n',
     '// #include <l4lb/engine/uring_abi.h>\n'),
]


@pytest.mark.parametrize('rule,path,bad,good', FILE_CASES)
def test_file_rule(rule, path, bad, good):
    assert rule(path, bad)
    assert not rule(path, good)


BANNED = ['printf("x")', 'std::printf("x")', 'exit(1)', 'std::exit(1)', 'abort()', 'system("ls")',
          'strcpy(a, b)', 'sprintf(a, "x")', 'rand()', 'std::cout << 1', '::srand(7)', 'puts("x")']
NOT_BANNED = ['// printf("x")', '"exit(1)"', 'loop.exit(1)', 'loop->abort()', 'snprintf(a, 1, "x")',
              'OnExit(1)', 'fprintf(file, "x")', 'std::cerr << 1']


@pytest.mark.parametrize('call', BANNED)
def test_banned_call(call):
    assert text_rules.banned_calls('l4lb/net/a.cc', f'void F() {{ {call}; }}\n')


@pytest.mark.parametrize('call', NOT_BANNED)
def test_call_not_banned(call):
    assert not text_rules.banned_calls('l4lb/net/a.cc', f'void F() {{ {call}; }}\n')


def test_cout_belongs_to_programs():
    assert not text_rules.banned_calls('l4lb/main.cc', 'int main() { std::cout << 1; }\n')
    assert text_rules.banned_calls('l4lb/main.cc', 'int main() { abort(); }\n')


LONE = ['co_await F(y);', 'x = co_await F(y);', 'auto x = co_await F(y);',
        'const int error = co_await engine_->Connect(&op, address);', 'this->x_ = co_await op;',
        'if (ready) co_await F(y);', 'if (!ready) { x = co_await F(y); }', 'else co_await F(y);',
        'for (int i = 0; i < 3; ++i) co_await F(i);', 'case kOpen: co_await F(y);',
        'case Phase::kOpen: x = co_await F(y);', 'x[i] = co_await F(g(y), z[1]);',
        'absl::StatusOr<int> x = co_await F(y);', 'again: co_await F(y);',
        'auto f = [this]() -> Task { co_await op_; };', '// a && co_await b\n',
        'F(Foo{1}); co_await G(y);', 'Foo* x = co_await F(y);', '*out = co_await F(y);']
ENTANGLED = ['if (co_await F(y)) G();', 'a && co_await F(y);', 'x = a || co_await F(y);',
             'x = a ? co_await F(y) : 0;', 'G(co_await F(y));', 'Foo foo{co_await F(y)};',
             'Foo foo = {1, co_await F(y)};', 'co_await F(Foo{1});', 'co_return co_await F(y);',
             'while (co_await F(y)) {}', 'x = 1 + co_await F(y);', 'x += co_await F(y);',
             'co_await F(std::string(y));', 'co_await F(std::move(lease));',
             'co_await F(absl::StrCat(y, 1));', 'co_await F([this] { return 1; });',
             'x = co_await F(y) + 1;', 'co_await (a ? b : c);', 'return co_await F(y);',
             'int error = co_await F(y) ? 1 : 2;', 'if (int e = co_await F(y); e) G();']


@pytest.mark.parametrize('statement', LONE)
def test_lone_co_await(statement):
    text = f'Task Run() {{\n  G();\n  {statement}\n}}\n'
    assert list(map(str, coroutine_rule.coroutines('l4lb/proxy/a.cc', text))) == []


@pytest.mark.parametrize('statement', ENTANGLED)
def test_entangled_co_await(statement):
    text = f'Task Run() {{\n  G();\n  {statement}\n}}\n'
    assert rules_of(coroutine_rule.coroutines('l4lb/proxy/a.cc', text)) == ['co_await']


def include(path, header):
    return room_rules.include_direction(path, {path: f'#include {header}\n', 'l4lb/net/b.h': ''})


@pytest.mark.parametrize('path,header', [
    ('l4lb/net/a.cc', '"l4lb/engine/engine.h"'), ('l4lb/engine/a.h', '<l4lb/proxy/session.h>'),
    ('l4lb/balance/a.cc', '"l4lb/net/b.h"'), ('l4lb/config/a.h', '"l4lb/observe/stats.h"'),
    ('l4lb/admin/a.h', '"l4lb/server/server.h"'), ('l4lb/net/a.cc', '"b.h"'),
    ('l4lb/net/a.cc', '"tests/support/peer.h"'), ('maglev/a.cc', '"l4lb/net/b.h"'),
    ('maglev/a.h', '"ring/ring.h"'), ('ring/a.cc', '<glog/logging.h>'), ('ring/a.cc', '<unistd.h>'),
    ('l4lb/cellar/a.cc', '"l4lb/net/b.h"')])
def test_include_against_the_arrows(path, header):
    assert rules_of(include(path, header)) == ['include']


@pytest.mark.parametrize('path,header', [
    ('l4lb/server/a.cc', '"l4lb/net/b.h"'), ('l4lb/proxy/a.cc', '"l4lb/balance/policy.h"'),
    ('l4lb/main.cc', '"l4lb/config/config.h"'), ('l4lb/balance/a.cc', '"maglev/table.h"'),
    ('maglev/a.cc', '"absl/types/span.h"'), ('ring/a.cc', '<xxhash.h>'), ('ring/a.cc', '<mutex>'),
    ('ring/example/main.cc', '"ring/ring.h"'), ('l4lb/net/a.cc', '"absl/time/time.h"'), ('l4lb/net/a.cc', '<sys/epoll.h>'),
    ('tests/net/a_test.cc', '"tests/support/peer.h"')])
def test_include_along_the_arrows(path, header):
    assert include(path, header) == []


def test_own_header_first():
    files = {'l4lb/net/a.h': '', 'l4lb/net/a.cc': '#include <new>\n#include "l4lb/net/a.h"\n'}
    assert rules_of(room_rules.own_header_first('l4lb/net/a.cc', files)) == ['own-header']
    files['l4lb/net/a.cc'] = '// head\n#include "l4lb/net/a.h"\n#include <new>\n'
    assert room_rules.own_header_first('l4lb/net/a.cc', files) == []


def test_header_that_nothing_compiles_alone():
    files = {'l4lb/engine/op.h': '', 'l4lb/net/a.h': '', 'l4lb/net/a.cc': ''}
    assert rules_of(room_rules.headers_compiled(files, ['/src/l4lb/net/a.cc'])) == ['header-alone']
    assert room_rules.headers_compiled(files, ['/b/header_check/l4lb/engine/op.h.cc']) == []


def depends(cmake, source):
    path = 'l4lb/proxy/CMakeLists.txt'
    return room_rules.cmake_depends(path, {path: cmake, 'l4lb/proxy/a.cc': source})


@pytest.mark.parametrize('cmake,source', [
    ('l4lb_room(proxy SOURCES a.cc DEPENDS l4lb_admin)', ''),
    ('l4lb_room(proxy SOURCES a.cc DEPENDS l4lb_net)', '#include "l4lb/engine/op.h"\n')])
def test_cmake_that_says_something_else(cmake, source):
    assert rules_of(depends(cmake, source)) == ['depends']


def test_cmake_that_fits():
    assert depends('l4lb_room(proxy SOURCES a.cc DEPENDS absl::status l4lb_net)',
                   '#include "l4lb/net/clock.h"\n') == []


def test_dead_file():
    files = {'l4lb/net/CMakeLists.txt': 'l4lb_room(net SOURCES big_a.cc deep/b.cc)\n'}
    assert rules_of(room_rules.dead_file('l4lb/net/a.cc', files)) == ['dead-file']
    assert room_rules.dead_file('l4lb/net/big_a.cc', files) == []
    assert room_rules.dead_file('l4lb/net/deep/b.cc', files) == []


@pytest.mark.parametrize('target', ['gone.md', '../gone/', 'b.md#nowhere', '#nowhere'])
def test_broken_link(target):
    files = {'docs/a.md': f'# A\n\nsee [it]({target})\n', 'docs/b.md': '# B and `c`\n'}
    found = text_rules.links('docs/a.md', files, lambda path: path in files)
    assert [(f.rule, f.line) for f in found] == [('link', 3)]


def test_whole_links():
    files = {'docs/a.md': '# A\n[b](b.md#b-and-c) [a](#a) [web](https://x.org/gone)\n```\n[c](d)\n```\n',
             'docs/b.md': '# B and `c`\n'}
    assert text_rules.links('docs/a.md', files, lambda path: path in files) == []


def test_shellcheck(tmp_path):
    (tmp_path / 'bad').write_text('#!/bin/sh\nrm $1\n')
    (tmp_path / 'good').write_text('#!/bin/sh\nrm "$1"\n')
    found = text_rules.shellcheck(tmp_path, ['bad', 'good'])
    assert [(f.path, f.line, f.rule) for f in found] == [('bad', 2, 'shellcheck')]
    assert text_rules.shellcheck(tmp_path, ['gone'])


def test_allowed_with_a_reason_only():
    finding = findings.Finding('a.cc', 1, 'file-size', 'long')
    reason = '// tidy-allow: file-size: golden table, one line an entry\n'
    assert findings.drop_allowed([finding], {'a.cc': reason}) == []
    assert findings.drop_allowed([finding], {'a.cc': '// tidy-allow: file-size: big\n'}) == [finding]
    assert findings.drop_allowed([finding], {'a.cc': reason.replace('file', 'line')}) == [finding]


CODE = '''// SPDX
namespace l4lb {
constexpr int kTable[] = {1, 2};
struct alignas(64) Foo : Bar {
  Foo() : a_{1}, b_(2) {}
  explicit Foo(int x)
      : a_{x} {
    ++a_;
  }
  Foo& operator=(Foo&&) noexcept { return *this; }

 private:
  std::function<void(int)> done_ = {};
  std::vector<int> v_{1, 2};
  template <class T>
  void Go(T t) const {
    if (t) { auto f = [] { return 1; }; }
  }
};
auto kLambda = [](int x) { return x; };
int Quote() { return R"(  } " )"[0] + '{' + 1'000; }
TEST(Foo, Bar) {
}
}  // namespace l4lb
extern "C" int Fuzz(const char* data) {
  return 0;
}
'''


def test_functions_are_found_whole():
    assert [(f.name, f.first, f.lines) for f in cpp_text.functions(CODE)] == [
        ('Foo', 5, 1), ('Foo', 6, 4), ('operator=', 10, 1), ('Go', 15, 4), ('Quote', 21, 1),
        ('TEST(Foo, Bar)', 22, 2), ('Fuzz', 25, 3)]
