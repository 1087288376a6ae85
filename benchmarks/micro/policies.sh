#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a pick costs, per policy and number of backends: the arguments go to policy_bench, such as
# --benchmark_filter=p2c.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
exec build/release/bin/policy_bench "$@"
