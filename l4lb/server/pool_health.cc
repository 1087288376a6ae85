// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/pool_health.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "glog/logging.h"
#include "l4lb/backend/slow_connects.h"
#include "l4lb/server/build_check.h"
#include "l4lb/server/build_pool.h"

namespace l4lb {

Fitness PoolHealth::Record::fitness() const {
  if (ejection.active() || health == Health::kDown) return Fitness::kUnfit;
  return health == Health::kUnknown && !proven ? Fitness::kUnproven : Fitness::kFit;
}

std::string PoolHealth::Subject(const Record& record) const {
  return absl::StrCat("pool ", pool_.name(), ": backend ", record.backend->name(), " (",
                      record.backend->address_text(), ")");
}

PoolHealth::Record* PoolHealth::Find(uint64_t backend) {
  const auto found = place_of_.find(backend);
  return found == place_of_.end() ? nullptr : &records_[found->second];
}

const PoolHealth::Record* PoolHealth::Find(uint64_t backend) const {
  return const_cast<PoolHealth*>(this)->Find(backend);
}

void PoolHealth::Settle(const Config::Pool& config, std::vector<Member> members, bool at_start) {
  config_ = config;
  rule_ = EjectionRuleOf(config.eject);
  slow_start_ = SlowStartOf(config);
  pool_.SetStreakRule(rule_.streak);
  std::vector<Record> records;
  absl::flat_hash_map<uint64_t, size_t> place_of;
  for (Member& member : members) {
    const uint64_t id = member.backend->id();
    Record record;
    if (Record* known = Find(id)) {
      record = std::move(*known);
    } else {
      record.proven = at_start || !wants_checks();
      record.health = wants_checks() ? Health::kUnknown : Health::kUnchecked;
      record.took = at_start;
      record.seen = member.backend->tally();
    }
    record.backend = std::move(member.backend);
    record.ready = member.ready;
    record.backup = member.backup;
    record.weight = member.weight;
    place_of[id] = records.size();
    records.push_back(std::move(record));
  }
  // Those that are gone; SyncChecks() would not find them any more.
  for (const Record& record : records_) {
    if (record.backend == nullptr) continue;  // Moved.
    pool_.EndSlowStart(*record.backend);
    if (record.checked) checker_->Remove(record.backend->id());
  }
  records_ = std::move(records);
  place_of_ = std::move(place_of);
}

void PoolHealth::SyncChecks(Checker* checker) {
  const bool anew = checker != checker_ || !(synced_ == config_.health_check);
  checker_ = checker;
  synced_ = config_.health_check;
  std::vector<Record*> to_add;
  for (Record& record : records_) {
    if (record.checked && anew) {
      checker->Remove(record.backend->id());
      record.checked = false;
    }
    if (!wants_checks()) {
      record.health = Health::kUnchecked;
    } else if (!record.checked) {
      if (record.health == Health::kUnchecked) record.health = Health::kUnknown;
      to_add.push_back(&record);
    }
  }
  if (!wants_checks()) return;
  const int64_t interval_ms = absl::ToInt64Milliseconds(synced_.interval);
  for (size_t i = 0; i < to_add.size(); ++i) {
    const Backend& backend = *to_add[i]->backend;
    CheckTarget target = CheckTargetFor(synced_, backend.address());
    target.health = to_add[i]->health;
    target.first_in_ms =
        interval_ms * static_cast<int64_t>(i) / static_cast<int64_t>(to_add.size());
    checker->Add(backend.id(), std::move(target));
    checker->WantGoodChecks(backend.id(), to_add[i]->ejection.active());
    to_add[i]->checked = true;
  }
}

bool PoolHealth::OnCheck(const CheckNews& news, int64_t now_ms) {
  Record* record = Find(news.target);
  if (record == nullptr || !record->checked) return false;
  if (news.passed && record->ejection.active() && news.begun_ms > record->ejection.begun_ms()) {
    EndEjection(*record, "a check has passed", now_ms);
  }
  if (news.health != record->health) {
    const bool first = record->health == Health::kUnknown && news.health == Health::kUp;
    record->health = news.health;
    const bool down = news.health == Health::kDown;
    LOG_IF(INFO, !down && !(first && record->proven))
        << Subject(*record) << " is up: " << news.text;
    LOG_IF(WARNING, down) << Subject(*record) << " is down: " << news.text;
  }
  return true;
}

bool PoolHealth::OnFailure(uint64_t backend, int64_t now_ms) {
  if (backend == 0) {
    if (rule_.rate_percent > 0) Watch(now_ms);
    return false;
  }
  Record* record = Find(backend);
  return record != nullptr &&
         Eject(*record, absl::StrCat(rule_.streak.limit, " failures in a row"), now_ms);
}

// Failures are told again once they have been looked at for a window.
void PoolHealth::Watch(int64_t now_ms) {
  watch_until_ms_ = now_ms + rule_.streak.window_ms;
  if (std::exchange(watching_, true)) return;
  for (Record& record : records_) record.rate.Clear();
}

// Never the last one: a backend that fails sometimes is better than none.
bool PoolHealth::MayEject(const Record& record) const {
  if (record.ejection.active() || record.health == Health::kDown) return false;
  int64_t ejected = 0;
  int64_t others = 0;
  for (const Record& it : records_) {
    ejected += it.ejection.active();
    others += &it != &record && it.ready && it.fitness() == Fitness::kFit;
  }
  const auto count = static_cast<int64_t>(records_.size());
  return others > 0 && ejected < rule_.MostOf(count);
}

bool PoolHealth::Eject(Record& record, const std::string& why, int64_t now_ms) {
  if (!MayEject(record)) return false;
  const double chance = std::uniform_real_distribution<double>()(dice_);
  const int64_t length_ms = record.ejection.Begin(now_ms, rule_, chance);
  record.rate.Clear();
  if (record.checked) checker_->WantGoodChecks(record.backend->id(), true);
  LOG(WARNING) << Subject(record) << " is ejected for "
               << absl::FormatDuration(absl::Milliseconds(length_ms)) << ": " << why;
  return true;
}

void PoolHealth::EndEjection(Record& record, const std::string& why, int64_t now_ms) {
  record.ejection.End(now_ms);
  record.rate.Clear();
  if (record.checked) checker_->WantGoodChecks(record.backend->id(), false);
  LOG(INFO) << Subject(record) << " is back: " << why;
}

bool PoolHealth::Tick(int64_t now_ms) {
  bool due = false;
  for (Record& record : records_) {
    if (record.ejection.active() && now_ms >= record.ejection.until_ms()) {
      EndEjection(record, "its ejection is over", now_ms);
      due = true;
    }
    due |= record.slow_start_end_ms != 0;  // Its limit grows.
    if (watching_ && record.rate.Exceeds(now_ms, record.backend->tally(), rule_)) {
      due |= Eject(record,
                   absl::StrCat("more than ", rule_.rate_percent, " % of its connections failed"),
                   now_ms);
    }
  }
  if (watching_ && now_ms >= watch_until_ms_) {
    watching_ = false;
    pool_.AwaitFailure();
  }
  return due;
}

// It begins when a backend is fit that was not, or that is new.
void PoolHealth::LookAtSlowStart(Record& record, int64_t now_ms) {
  const bool takes = record.ready && record.fitness() == Fitness::kFit;
  const bool took = std::exchange(record.took, takes);
  if (takes && !took) record.slow_start_end_ms = now_ms + slow_start_.time_ms;
  if (!takes || now_ms >= record.slow_start_end_ms) record.slow_start_end_ms = 0;
  if (record.slow_start_end_ms == 0) return pool_.EndSlowStart(*record.backend);
  pool_.BeginSlowStart(*record.backend, {.begin_ms = record.slow_start_end_ms - slow_start_.time_ms,
                                         .end_ms = record.slow_start_end_ms,
                                         .candidacy = Candidacy(record)});
}

// Round robin and least connections give a backend whatever it was passed over for, or is behind;
// the others draw by chance, and have forgotten it.
double PoolHealth::Candidacy(const Record& record) const {
  const bool forgets =
      config_.policy == Config::Policy::kRandom || config_.policy == Config::Policy::kP2c;
  if (forgets || open_weight_ == 0) return 1;
  return std::min(1.0, static_cast<double>(record.weight) / static_cast<double>(open_weight_));
}

void PoolHealth::Update(int64_t now_ms) {
  std::vector<Standing> standings;
  standings.reserve(records_.size());
  ticking_ = 0;
  open_weight_ = 0;
  for (const Record& record : records_) {
    if (record.ready && record.fitness() == Fitness::kFit) open_weight_ += record.weight;
  }
  for (Record& record : records_) {
    LookAtSlowStart(record, now_ms);
    ticking_ += record.ejection.active() || record.slow_start_end_ms != 0;
    standings.push_back(
        {.ready = record.ready, .backup = record.backup, .fitness = record.fitness()});
  }
  const bool was_open = tiers_.fail_open;
  tiers_ = DecideTiers(standings, config_.fail_open.below);
  for (size_t i = 0; i < records_.size(); ++i) records_[i].open = tiers_.open[i];
  if (tiers_.fail_open == was_open) return;
  LOG_IF(ERROR, tiers_.fail_open) << "pool " << pool_.name() << ": fails open: only " << tiers_.fit
                                  << " backends are healthy, all are taken as healthy";
  LOG_IF(INFO, !tiers_.fail_open) << "pool " << pool_.name()
                                  << ": no longer fails open: " << tiers_.fit
                                  << " backends are healthy";
}

BackendTerms PoolHealth::Apply(const Backend& backend, BackendTerms terms, int64_t now_ms) const {
  const Record* record = Find(backend.id());
  if (record == nullptr) return terms;
  terms.open = terms.open && record->open;
  if (record->slow_start_end_ms > now_ms && terms.max_connections > 0) {
    const int64_t begin_ms = record->slow_start_end_ms - slow_start_.time_ms;
    const double share = slow_start_.ShareAfter(now_ms - begin_ms);
    terms.max_connections =
        static_cast<int64_t>(std::ceil(share * static_cast<double>(terms.max_connections)));
  }
  return terms;
}

// While the pool fails open, nobody believes its verdicts.
bool PoolHealth::IsDown(const Backend& backend) const {
  const Record* record = Find(backend.id());
  return record != nullptr && record->health == Health::kDown && !tiers_.fail_open;
}

bool PoolHealth::drained(const Backend& backend) const {
  const Record* record = Find(backend.id());
  return record != nullptr && record->drained;
}

void PoolHealth::SetDrained(const Backend& backend, bool drained) {
  if (Record* record = Find(backend.id())) record->drained = drained;
}

void PoolHealth::LookForSlowOnes() {
  std::vector<ConnectTimes> times;
  for (Record& record : records_) {
    const Tally now = record.backend->tally();
    const Tally before = std::exchange(record.seen, now);
    times.push_back(
        {.count = now.sessions - before.sessions, .ms = now.connect_ms - before.connect_ms});
  }
  const SlowConnects found = FindSlowConnects(times);
  for (size_t i = 0; i < records_.size(); ++i) {
    // Without connections nothing is new.
    if (times[i].count < kFewestConnects || found.slow[i] == records_[i].slow) continue;
    records_[i].slow = found.slow[i];
    if (!found.slow[i]) {
      LOG(INFO) << Subject(records_[i]) << " is as fast to connect to as the others again";
      continue;
    }
    LOG(WARNING) << Subject(records_[i])
                 << absl::StrFormat(" is slow to connect to: %.0f ms on average, others %.0f ms",
                                    times[i].mean_ms(), found.usual_ms);
  }
}

void PoolHealth::Report(PoolStatus& status) const {
  status.healthy = tiers_.fit;
  status.fail_open = tiers_.fail_open;
}

void PoolHealth::Report(const Backend& backend, const CheckStatuses& checks, int64_t now_ms,
                        BackendStatus& status) const {
  const Record* record = Find(backend.id());
  if (record == nullptr) return;
  status.backup = record->backup;
  status.takes_sessions = record->ready && record->open;
  status.ejections = record->ejection.count();
  if (record->ejection.active()) {
    status.ejected_left_ms = std::max<int64_t>(record->ejection.until_ms() - now_ms, 0);
  }
  if (record->slow_start_end_ms > now_ms) {
    status.slow_start_left_ms = record->slow_start_end_ms - now_ms;
  }
  status.slow = record->slow;
  const auto found = checks.find(backend.id());
  if (found != checks.end()) status.check = found->second;
  status.check.health = record->health;  // Which counts.
}

}  // namespace l4lb
