# SPDX-License-Identifier: Apache-2.0
"""Finds what the tests of the tools share."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "kit"))
