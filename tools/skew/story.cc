// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/story.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/kit/numbers.h"
#include "tools/skew/backends.h"

namespace l4lb::skew {
namespace {

constexpr double kNoShare = 0.02;
constexpr double kWithinSeconds = 3;
constexpr double kAboutOneAge = 1.25;
constexpr double kNever = 1e9;

using AllFigures = std::vector<ModeFigures>;

std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

const ModeFigures* Find(const AllFigures& modes, Mode mode) {
  for (const ModeFigures& figures : modes) {
    if (figures.mode == mode && figures.since_added.has_value()) return &figures;
  }
  return nullptr;
}

bool AsksPerRequest(Mode mode) { return TextOf(mode).kind != Kind::kLayer4; }

double SecondsOf(const ModeFigures& figures) { return figures.seconds_to_fair.value_or(kNever); }

// The mode among those wanted of which `value` is the largest; null when there is none.
const ModeFigures* Most(const AllFigures& modes, const std::function<bool(Mode)>& wanted,
                        const std::function<double(const ModeFigures&)>& value) {
  const ModeFigures* most = nullptr;
  for (const ModeFigures& figures : modes) {
    if (!wanted(figures.mode) || !figures.since_added.has_value()) continue;
    if (most == nullptr || value(figures) > value(*most)) most = &figures;
  }
  return most;
}

double LargestAddedShare(const Options& options, const ModeFigures& figures) {
  const auto& share = figures.since_added->share;
  return *std::max_element(share.begin() + options.backends, share.end());
}

bool Starves(const ModeFigures& figures) {
  return KeepsConnections(figures.mode) && figures.since_added.has_value();
}

// "p2c", or that it is the same with all of them.
std::string PolicyText(const AllFigures& modes, const ModeFigures& kindest, bool none) {
  const auto policies = std::count_if(modes.begin(), modes.end(), Starves);
  return none && policies > 1 ? absl::StrCat("any of ", policies, " policies") : Name(kindest.mode);
}

void AddStarving(const Options& options, const AllFigures& modes, std::vector<Claim>* claims) {
  const auto share = [&](const ModeFigures& figures) {
    return LargestAddedShare(options, figures);
  };
  const ModeFigures* most = Most(modes, KeepsConnections, share);
  if (most == nullptr) return;
  const bool none = share(*most) == 0;
  claims->push_back(
      {"at layer 4 without an age limit an added backend gets under 2 % of the requests",
       absl::StrCat(none ? "none" : absl::StrCat("at most ", Percent(share(*most))), ", with ",
                    PolicyText(modes, *most, none)),
       share(*most) < kNoShare});
}

void AddPerRequest(const AllFigures& modes, std::vector<Claim>* claims) {
  const ModeFigures* slowest = Most(modes, AsksPerRequest, SecondsOf);
  if (slowest == nullptr) return;
  claims->push_back(
      {"balanced request by request, it gets its fair share within seconds",
       absl::StrCat(Seconds(slowest->seconds_to_fair), " at most, with ", Name(slowest->mode)),
       SecondsOf(*slowest) <= kWithinSeconds});
}

void AddAge(const Options& options, const AllFigures& modes, std::vector<Claim>* claims) {
  const ModeFigures* age = Find(modes, Mode::kAge);
  if (age == nullptr) return;
  const double limit_s = static_cast<double>(options.max_connection_age_ms) / 1e3;
  claims->push_back(
      {absl::StrFormat("with max_connection_age it does within about one age (%g s)", limit_s),
       Seconds(age->seconds_to_fair), SecondsOf(*age) <= kAboutOneAge * limit_s});
  const ModeFigures* rebalance = Find(modes, Mode::kRebalance);
  if (rebalance == nullptr) return;
  claims->push_back(
      {"rebalance is faster and cuts fewer connections",
       absl::StrFormat("%s and %d cut, against %s and %d", Seconds(rebalance->seconds_to_fair),
                       rebalance->connections_cut, Seconds(age->seconds_to_fair),
                       age->connections_cut),
       SecondsOf(*rebalance) < SecondsOf(*age) &&
           rebalance->connections_cut < age->connections_cut});
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

uint64_t SumOf(const std::vector<uint64_t>& numbers) {
  uint64_t sum = 0;
  for (const uint64_t number : numbers) sum += number;
  return sum;
}

// `figures` are of the mode that is kindest to the added backends: no other of them is better.
std::string Starving(const Options& options, const AllFigures& modes, const ModeFigures& figures) {
  const PartFigures& since = *figures.since_added;
  const auto added = static_cast<size_t>(options.backends);
  const uint64_t got =
      SumOf({since.requests.begin() + static_cast<long>(added), since.requests.end()});
  return absl::StrFormat(
      "In the %.1f s after %s joined, %s got %s of %s requests from a layer-4 balancer with %s "
      "(fair: %s).",
      since.to_s - since.from_s, AddedNames(options), options.added == 1 ? "it" : "they",
      kit::Grouped(got), kit::Grouped(SumOf(since.requests)), PolicyText(modes, figures, got == 0),
      Percent(static_cast<double>(options.added) / options.all_backends()));
}

std::string Remedy(const ModeFigures* figures, const std::string& how) {
  if (figures == nullptr) return "";
  if (!figures->seconds_to_fair.has_value()) return absl::StrCat(" With ", how, ": never, too.");
  return absl::StrCat(" With ", how, ": a fair share after ", Seconds(figures->seconds_to_fair),
                      ".");
}

}  // namespace

std::string Seconds(const std::optional<double>& seconds) {
  return seconds.has_value() ? absl::StrFormat("%.1f s", *seconds) : "never";
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
  const auto share = [&](const ModeFigures& figures) {
    return LargestAddedShare(options, figures);
  };
  std::string text;
  if (const ModeFigures* most = Most(modes, KeepsConnections, share)) {
    text = Starving(options, modes, *most);
  }
  absl::StrAppend(&text, Remedy(Find(modes, Mode::kAge), "max_connection_age"),
                  Remedy(Find(modes, Mode::kRebalance), "rebalance"),
                  Remedy(Most(modes, AsksPerRequest, SecondsOf), "a choice for every request"));
  if (text.empty()) text = "Nothing was added: shares and latencies of a steady run.";
  return text[0] == ' ' ? text.substr(1) : text;
}

}  // namespace l4lb::skew
