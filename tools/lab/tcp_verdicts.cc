// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_verdicts.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/lab/tcp_clients.h"

namespace l4lb::lab {
namespace {

constexpr double kLongMs = 1'000;
constexpr double kShortMs = 120;
constexpr double kClearly = 1.2;  // So many times more is not chance.
constexpr double kNearlyAsGood = 1.5;
constexpr double kHardly = 1.2;
constexpr double kMostFailed = 0.1;  // Percent.

// Null: it was not run.
const TcpRow* Find(const std::vector<TcpRow>& rows, const std::string& label,
                   const std::string& group = "") {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const TcpRow& row) {
    return row.label == label && (group.empty() || row.group == group);
  });
  return found == rows.end() ? nullptr : &*found;
}

double P99(const TcpRow& row) { return row.QuantileMs(0.99).median; }

std::string MsText(double ms) { return absl::StrFormat("%.1f ms", ms); }

using Rows = std::vector<TcpRow>;

void OfSlow(const Rows& rows, std::vector<Verdict>* verdicts) {
  constexpr const char* kGroup = "queue per backend";
  for (const char* policy : {"round_robin", "random"}) {
    const TcpRow* row = Find(rows, policy, kGroup);
    if (row == nullptr) continue;
    const double share = row->SlowShare().median;
    verdicts->push_back({absl::StrCat(policy,
                                      ": a slow backend gets its 25 %, and p99 ends "
                                      "beyond a second"),
                         absl::StrFormat("%.1f %%, %s", share, MsText(P99(*row))),
                         P99(*row) > kLongMs && share > 23 && share < 27});
  }
  for (const char* policy : {"least_connections", "p2c"}) {
    const TcpRow* row = Find(rows, policy, kGroup);
    if (row == nullptr) continue;
    const double share = row->SlowShare().median;
    verdicts->push_back({absl::StrCat(policy, ": it gets 10 to 18 %, and p99 stays under 120 ms"),
                         absl::StrFormat("%.1f %%, %s", share, MsText(P99(*row))),
                         P99(*row) < kShortMs && share > 10 && share < 18});
  }
}

void OfEqual(const Rows& rows, std::vector<Verdict>* verdicts) {
  const TcpRow* turns = Find(rows, "round_robin", "queue per backend");
  const TcpRow* least = Find(rows, "least_connections", "queue per backend");
  const TcpRow* p2c = Find(rows, "p2c", "queue per backend");
  const TcpRow* random = Find(rows, "random", "queue per backend");
  const auto compare = [verdicts](const std::string& claim, const TcpRow* one, const TcpRow* other,
                                  const std::function<bool(double)>& holds) {
    if (one == nullptr || other == nullptr) return;
    const double ratio = P99(*one) / P99(*other);
    verdicts->push_back({claim,
                         absl::StrFormat("%s against %s, %.2f times", MsText(P99(*one)),
                                         MsText(P99(*other)), ratio),
                         holds(ratio)});
  };
  compare("equal backends: round_robin's p99 is well above that of least_connections", turns, least,
          [](double ratio) { return ratio > kClearly; });
  compare("random's is above round_robin's", random, turns, [](double ratio) { return ratio > 1; });
  compare("p2c's is nearly as good as that of least_connections", p2c, least,
          [](double ratio) { return ratio < kNearlyAsGood; });
}

void OfHerd(const Rows& rows, std::vector<Verdict>* verdicts) {
  const std::string many = rows.back().group;
  const TcpRow* least_one = Find(rows, "least_connections", "1 balancer");
  const TcpRow* least_many = Find(rows, "least_connections", many);
  const TcpRow* p2c_one = Find(rows, "p2c", "1 balancer");
  const TcpRow* p2c_many = Find(rows, "p2c", many);
  const auto grown = [](const TcpRow* one, const TcpRow* more) {
    return absl::StrFormat("p99 %s, with one %s", MsText(P99(*more)), MsText(P99(*one)));
  };
  if (least_one != nullptr && least_many != nullptr) {
    verdicts->push_back({absl::StrCat("least_connections is worse with ", many),
                         grown(least_one, least_many),
                         P99(*least_many) > kClearly * P99(*least_one)});
  }
  if (p2c_one != nullptr && p2c_many != nullptr) {
    verdicts->push_back({absl::StrCat("p2c hardly is (at most ", kHardly, " times)"),
                         grown(p2c_one, p2c_many), P99(*p2c_many) < kHardly * P99(*p2c_one)});
  }
  if (least_many != nullptr && p2c_many != nullptr) {
    verdicts->push_back(
        {absl::StrCat("with ", many, " p2c is better than least_connections"),
         absl::StrFormat("p99 %s against %s", MsText(P99(*p2c_many)), MsText(P99(*least_many))),
         P99(*p2c_many) < P99(*least_many)});
  }
}

void OfAddServer(const Rows& rows, std::vector<Verdict>* verdicts) {
  constexpr int kBefore = TcpClients::kParts / 2;
  for (const TcpRow& row : rows) {
    if (row.label != "least_connections") continue;
    const double before = row.PartP99Ms(kBefore - 1, kBefore).median;
    const double after = row.PartP99Ms(TcpClients::kParts - 1, TcpClients::kParts).median;
    verdicts->push_back(
        {absl::StrCat("adding a server adds capacity: the line that has grown is "
                      "worked off (",
                      row.group, ")"),
         absl::StrFormat("p99 %s before, %s at the end", MsText(before), MsText(after)),
         after < before / 2});
  }
}

void OfSlowDatabase(const Rows& rows, std::vector<Verdict>* verdicts) {
  const auto say = [&](const char* label, const char* claim, bool fails) {
    const TcpRow* row = Find(rows, label);
    if (row == nullptr) return;
    const double failed = row->Failed().median;
    verdicts->push_back({claim, absl::StrFormat("%.1f %% of all requests failed", failed),
                         fails == (failed > kMostFailed)});
  };
  say("ask the database", "checks that ask the database take every server out at once", true);
  say("ask the backend", "checks that ask whether the server serves do not", false);
  say("the same, fail_open", "fail_open keeps all in when checks take out more than half", false);
}

}  // namespace

std::vector<Verdict> VerdictsOf(const std::string& scene, const std::vector<TcpRow>& rows) {
  std::vector<Verdict> verdicts;
  if (scene == "slow") OfSlow(rows, &verdicts);
  if (scene == "equal") OfEqual(rows, &verdicts);
  if (scene == "herd") OfHerd(rows, &verdicts);
  if (scene == "add-server") OfAddServer(rows, &verdicts);
  if (scene == "slow-database") OfSlowDatabase(rows, &verdicts);
  return verdicts;
}

}  // namespace l4lb::lab
