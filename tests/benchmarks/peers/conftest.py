# SPDX-License-Identifier: Apache-2.0
"""Lets the tests of this folder import the modules of benchmarks/peers."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benchmarks/peers"))
