# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it; tests/tools/load/flags_test.cc has all the cases."""

from kit import run


def test_wrong_flags_are_status_2_and_one_line_on_stderr():
    done = run("echo", "--target=127.0.0.1:1", "--conections=3")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("l4lb-load: ")
    assert done.stderr.endswith('did you mean "--connections"?\n')
    assert done.stderr.count("\n") == 1


def test_help_is_status_0_on_stdout():
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for verb in ("serve", "echo", "connect", "bulk", "idle", "churn"):
        assert f"  {verb} " in done.stdout
