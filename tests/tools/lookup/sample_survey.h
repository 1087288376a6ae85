// SPDX-License-Identifier: Apache-2.0
//
// Figures as a run might have found them, for tests of what is made of them.
#pragma once

#include "tools/lookup/survey.h"

namespace l4lb::lookup {

inline Survey SampleSurvey() {
  Survey survey;
  survey.empty_lookup_ns = {.median = 0.5, .least = 0.4, .most = 0.6};
  survey.empty_latency_ns = {.median = 4, .least = 3.9, .most = 4.2};
  survey.rows.push_back({.algorithm = "maglev",
                         .table_size = 65537,
                         .nodes = 2,
                         .lookup_ns = {1.25, 1.2, 1.5},
                         .latency_ns = {6.5, 6.4, 7},
                         .build_ms = {1.125, 1, 2},
                         .memory_bytes = 131'074,
                         .shares = {0.75, 1.25},
                         .peak_to_mean = 1.25,
                         .stddev = 0.25,
                         .disruption = {{"+1", Movement{0.375, 0.25, 0.125}},
                                        {"weight x2", std::nullopt},
                                        {"8->10", Movement{0.8, 0.2, 0.6}},
                                        {"9->10", Movement{0.9, 0.1, 0.8}}}});
  survey.claims = {{.claim = "less is </script> more",
                    .expected = 80,
                    .tolerance = 1,
                    .measured = 80.5,
                    .unit = "%"},
                   {.claim = "it is fast",
                    .rule = Rule::kAtMost,
                    .expected = 78,
                    .measured = 99,
                    .unit = "ns",
                    .note = "here"}};
  return survey;
}

}  // namespace l4lb::lookup
