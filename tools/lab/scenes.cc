// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/scenes.h"

namespace l4lb::lab {
namespace {

constexpr PolicyKind kRoundRobin = PolicyKind::kRoundRobin;
constexpr PolicyKind kRandom = PolicyKind::kRandom;
constexpr PolicyKind kLeast = PolicyKind::kLeastConnections;
constexpr PolicyKind kP2c = PolicyKind::kP2c;

const Scene kScenes[] = {
    {"equal", "Four equal backends at 70 %, 32 connections each, the rest waits", {.limit = 32}},
    {"slow",
     "One of four backends is three times slower; all at 60 %, 32 connections each",
     {.slow = 1, .utilisation = 0.6, .limit = 32}},
    {"sliders", "Four equal backends at 70 %, without a limit on connections", {}, true, false},
    {"herd",
     "One of four backends is three times slower; 16 balancers, each knows its own part only",
     {.slow = 1, .utilisation = 0.6, .balancers = 16, .duration_ms = 20'000, .warmup_ms = 2'000}},
    {"add-server",
     "110 % of what four backends can do; a fifth one joins at half time",
     {.utilisation = 1.1,
      .limit = 32,
      .queue_per = QueuePer::kPool,
      .joining = 1,
      .join_ms = 4'000}},
    {"lasting",
     "90 % of four backends on 200 connections of 100 requests; a fifth one joins after 10 s",
     {.utilisation = 0.9,
      .connections = 200,
      .requests_each = 100,
      .joining = 1,
      .join_ms = 10'000,
      .duration_ms = 60'000,
      .warmup_ms = 10'000},
     true,
     false},
    {"slow-database",
     "Four equal backends at 60 %; for 3 of 8 s the database is slow that some checks ask",
     {.utilisation = 0.6, .limit = 32},
     false,
     true},
};

constexpr Published kPublished[] = {
    {"equal", kRoundRobin, Figure::kP50, 7.0, 7.6, 0.1},
    {"equal", kRoundRobin, Figure::kP99, 45.9, 51.6, 0.1},
    {"equal", kRoundRobin, Figure::kMax, 88, 93, 1},
    {"equal", kRandom, Figure::kP50, 9.1, 9.4, 0.1},
    {"equal", kRandom, Figure::kP99, 58.9, 63.5, 0.1},
    {"equal", kRandom, Figure::kMax, 98, 113, 1},
    {"equal", kLeast, Figure::kP50, 5.2, 5.3, 0.1},
    {"equal", kLeast, Figure::kP99, 26.7, 27.6, 0.1},
    {"equal", kLeast, Figure::kMax, 50, 52, 1},
    {"equal", kP2c, Figure::kP50, 6.1, 6.2, 0.1},
    {"equal", kP2c, Figure::kP99, 33.4, 50.6, 0.1},
    {"equal", kP2c, Figure::kMax, 53, 102, 1},
    {"slow", kRoundRobin, Figure::kP50, 7.1, 7.1, 0.1},
    {"slow", kRoundRobin, Figure::kP99, 4'390, 4'436, 1},
    {"slow", kRoundRobin, Figure::kSlowShare, 25, 25, 1},
    {"slow", kRandom, Figure::kP50, 9.1, 9.7, 0.1},
    {"slow", kRandom, Figure::kP99, 4'064, 4'267, 1},
    {"slow", kRandom, Figure::kSlowShare, 25, 25, 1},
    {"slow", kLeast, Figure::kP50, 5.0, 5.0, 0.1},
    {"slow", kLeast, Figure::kP99, 46.2, 50.9, 0.1},
    {"slow", kLeast, Figure::kSlowShare, 13, 14, 1},
    {"slow", kP2c, Figure::kP50, 6.0, 6.1, 0.1},
    {"slow", kP2c, Figure::kP99, 56.2, 60.7, 0.1},
    {"slow", kP2c, Figure::kSlowShare, 14, 14, 1},
    {"sliders", kRoundRobin, Figure::kP50, 6.0, 6.0, 0.1},
    {"sliders", kRoundRobin, Figure::kP99, 33.7, 33.7, 0.1},
    {"sliders", kRandom, Figure::kP50, 8.3, 8.3, 0.1},
    {"sliders", kRandom, Figure::kP99, 52.0, 52.0, 0.1},
    {"sliders", kLeast, Figure::kP50, 4.6, 4.6, 0.1},
    {"sliders", kLeast, Figure::kP99, 30.1, 30.1, 0.1},
    {"sliders", kP2c, Figure::kP50, 5.3, 5.3, 0.1},
    {"sliders", kP2c, Figure::kP99, 31.6, 31.6, 0.1},
};

}  // namespace

absl::Span<const Scene> Scenes() { return kScenes; }

const Scene* FindScene(const std::string& name) {
  for (const Scene& scene : kScenes) {
    if (name == scene.name) return &scene;
  }
  return nullptr;
}

const char* NameOf(Figure figure) {
  switch (figure) {
    case Figure::kP50:
      return "p50";
    case Figure::kP99:
      return "p99";
    case Figure::kMax:
      return "max";
    case Figure::kSlowShare:
      return "slow share";
  }
  return "";
}

absl::Span<const Published> PublishedFigures() { return kPublished; }

}  // namespace l4lb::lab
