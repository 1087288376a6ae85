# SPDX-License-Identifier: Apache-2.0
"""The rules of this repository that a program can check.  tests/tidy_test.py applies them."""
