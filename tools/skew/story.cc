// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/story.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/kit/numbers.h"
#include "tools/skew/names.h"

namespace l4lb::skew {
namespace {

constexpr double kNoShare = 0.02;
constexpr double kWithinSeconds = 3;
// An age has 10 % of jitter, sessions wait for a quiet moment, and a share takes time to be seen.
constexpr double kAboutOneAge = 1.25;
constexpr double kSlack_s = 0.5;
constexpr double kNever = std::numeric_limits<double>::infinity();

using AllFigures = std::vector<ModeFigures>;

std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

bool WasAdded(const ModeFigures& figures) { return figures.since_added.has_value(); }
bool Starves(const ModeFigures& figures) {
  return KeepsConnections(figures.mode) && WasAdded(figures);
}
bool AsksPerRequest(const ModeFigures& figures) {
  return TextOf(figures.mode).kind != Kind::kLayer4 && WasAdded(figures);
}

const ModeFigures* Find(const AllFigures& modes, Mode mode) {
  for (const ModeFigures& figures : modes) {
    if (figures.mode == mode && WasAdded(figures)) return &figures;
  }
  return nullptr;
}

// Of the modes that are `wanted` the one with the largest `value`; null when there is none.
const ModeFigures* Most(const AllFigures& modes, bool (*wanted)(const ModeFigures&),
                        const std::function<double(const ModeFigures&)>& value) {
  const ModeFigures* most = nullptr;
  for (const ModeFigures& figures : modes) {
    if (!wanted(figures)) continue;
    if (most == nullptr || value(figures) > value(*most)) most = &figures;
  }
  return most;
}

double SecondsOf(const ModeFigures& figures) { return figures.seconds_to_fair.value_or(kNever); }

// Whether it took at most `limit_s`; nothing when nobody watched for so long.
std::optional<bool> Within(const ModeFigures& figures, double limit_s) {
  if (figures.seconds_to_fair.has_value()) return *figures.seconds_to_fair <= limit_s;
  if (figures.watched_s >= limit_s) return false;
  return std::nullopt;
}

// The mode of layer 4 that is kindest to what was added.
const ModeFigures* Kindest(const Options& options, const AllFigures& modes) {
  return Most(modes, Starves, [&options](const ModeFigures& figures) {
    return AddedShare(options, *figures.since_added);
  });
}

const ModeFigures* SlowestPerRequest(const AllFigures& modes) {
  return Most(modes, AsksPerRequest, SecondsOf);
}

// "p2c", or that it is the same with all of them.
std::string PolicyText(const AllFigures& modes, const ModeFigures& kindest, bool none) {
  const auto policies = std::count_if(modes.begin(), modes.end(), Starves);
  return none && policies > 1 ? absl::StrCat("any of ", policies, " policies") : Name(kindest.mode);
}

// "1.4 s", "not in 7.0 s".
std::string Measured(const ModeFigures& figures) {
  if (figures.seconds_to_fair.has_value()) return FairText(figures);
  return absl::StrFormat("not in %.1f s", figures.watched_s);
}

void AddStarving(const Options& options, const AllFigures& modes, std::vector<Claim>* claims) {
  const ModeFigures* kindest = Kindest(options, modes);
  if (kindest == nullptr) return;
  const double share = AddedShare(options, *kindest->since_added);
  claims->push_back(
      {"at layer 4 without an age limit an added backend gets under 2 % of the requests",
       absl::StrCat(share == 0 ? "none" : absl::StrCat("at most ", Percent(share)), ", with ",
                    PolicyText(modes, *kindest, share == 0)),
       share < kNoShare});
}

void AddPerRequest(const AllFigures& modes, std::vector<Claim>* claims) {
  const ModeFigures* slowest = SlowestPerRequest(modes);
  if (slowest == nullptr) return;
  claims->push_back({"balanced request by request, it gets its fair share within seconds",
                     absl::StrCat(Measured(*slowest), ", with ", Name(slowest->mode)),
                     Within(*slowest, kWithinSeconds)});
}

// Faster, and fewer cuts.
std::optional<bool> IsBetter(const ModeFigures& rebalance, const ModeFigures& age) {
  if (rebalance.connections_cut >= age.connections_cut) return false;
  if (rebalance.seconds_to_fair.has_value()) return SecondsOf(rebalance) < SecondsOf(age);
  if (age.seconds_to_fair.has_value()) return Within(rebalance, *age.seconds_to_fair);
  return std::nullopt;
}

void AddAge(const Options& options, const AllFigures& modes, std::vector<Claim>* claims) {
  const ModeFigures* age = Find(modes, Mode::kAge);
  if (age == nullptr) return;
  const double age_s = static_cast<double>(options.max_connection_age_ms) / 1e3;
  claims->push_back(
      {absl::StrFormat("with max_connection_age it does within about one age (%g s)", age_s),
       Measured(*age), Within(*age, kAboutOneAge * age_s + kSlack_s)});
  const ModeFigures* rebalance = Find(modes, Mode::kRebalance);
  if (rebalance == nullptr) return;
  claims->push_back(
      {"rebalance is faster and cuts fewer connections",
       absl::StrFormat("%s and %d cut, against %s and %d", Measured(*rebalance),
                       rebalance->connections_cut, Measured(*age), age->connections_cut),
       IsBetter(*rebalance, *age)});
}

void AddNothingLost(const AllFigures& modes, std::vector<Claim>* claims) {
  uint64_t sent = 0;
  uint64_t answered = 0;
  uint64_t retries = 0;
  for (const ModeFigures& figures : modes) {
    sent += figures.sent;
    answered += figures.answered;
    retries += figures.retries;
  }
  claims->push_back({"no request is lost, since clients retry those of a connection that is cut",
                     absl::StrFormat("%s of %s answered, %s retries", kit::Grouped(answered),
                                     kit::Grouped(sent), kit::Grouped(retries)),
                     answered == sent});
}

uint64_t SumOf(const std::vector<uint64_t>& numbers, size_t from) {
  uint64_t sum = 0;
  for (size_t i = from; i < numbers.size(); ++i) sum += numbers[i];
  return sum;
}

std::string Starving(const Options& options, const AllFigures& modes, const ModeFigures& kindest) {
  const PartFigures& since = *kindest.since_added;
  const uint64_t got = SumOf(since.requests, static_cast<size_t>(options.backends));
  return absl::StrFormat(
      "In the %.1f s after %s joined, %s got %s of %s requests from a layer-4 balancer with %s "
      "(fair: %s).",
      kindest.watched_s, AddedNames(options), options.added == 1 ? "it" : "they", kit::Grouped(got),
      kit::Grouped(SumOf(since.requests, 0)), PolicyText(modes, kindest, got == 0),
      Percent(FairAddedShare(options)));
}

std::string Remedy(const ModeFigures* figures, const std::string& how) {
  if (figures == nullptr) return "";
  if (!figures->seconds_to_fair.has_value()) {
    return absl::StrFormat(" With %s: no fair share in %.1f s.", how, figures->watched_s);
  }
  return absl::StrCat(" With ", how, ": a fair share after ", FairText(*figures), ".");
}

std::string WithoutAdding(const Options& options) {
  if (options.added > 0) return "It was stopped before a backend was added.";
  if (options.removed == 0) return "Nothing was added: shares and latencies of a steady run.";
  return absl::StrFormat("Nothing was added, and %d removed: what becomes of the others' shares.",
                         options.removed);
}

}  // namespace

std::string FairText(const ModeFigures& figures) {
  if (figures.seconds_to_fair.has_value()) {
    return absl::StrFormat("%.1f s", *figures.seconds_to_fair);
  }
  if (!WasAdded(figures)) return "-";
  return figures.interrupted ? "not yet" : "never";
}

std::string AddedNames(const Options& options) {
  if (options.added == 1) return BackendName(options.backends);
  if (options.added == 2) {
    return absl::StrCat(BackendName(options.backends), " and ", BackendName(options.backends + 1));
  }
  return absl::StrCat("the ", options.added, " added backends");
}

std::vector<Claim> ClaimsOf(const Options& options, const AllFigures& modes) {
  std::vector<Claim> claims;
  AddStarving(options, modes, &claims);
  AddPerRequest(modes, &claims);
  AddAge(options, modes, &claims);
  AddNothingLost(modes, &claims);
  return claims;
}

std::string Headline(const Options& options, const AllFigures& modes) {
  std::string text;
  const ModeFigures* kindest = Kindest(options, modes);
  if (kindest != nullptr) text = Starving(options, modes, *kindest);
  absl::StrAppend(&text, Remedy(Find(modes, Mode::kAge), "max_connection_age"),
                  Remedy(Find(modes, Mode::kRebalance), "rebalance"),
                  Remedy(SlowestPerRequest(modes), "a choice for every request"));
  if (text.empty()) text = WithoutAdding(options);
  for (const Claim& claim : ClaimsOf(options, modes)) {
    if (claim.holds == false) absl::StrAppend(&text, " Not as claimed: ", claim.claim, ".");
  }
  return text[0] == ' ' ? text.substr(1) : text;
}

}  // namespace l4lb::skew
