// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/recorder.h"

#include <algorithm>
#include <utility>

namespace l4lb::lab {
namespace {

// A backend that is sent this share of what it can do is not overrun by chance.
constexpr double kTooMuch = 1.05;

size_t Place(int backend) { return static_cast<size_t>(backend); }

}  // namespace

double Outcome::ShareOf(int backend) const {
  const auto all = static_cast<double>(latency_ns.count());
  return all == 0 ? 0 : static_cast<double>(requests[Place(backend)]) / all;
}

Recorder::Recorder(const World& world, int samples)
    : world_(world),
      begin_ns_(world.warmup_ms * kNsPerMs),
      end_ns_(begin_ns_ + world.duration_ms * kNsPerMs),
      half_ns_((begin_ns_ + end_ns_) / 2),
      begin_due_ns_(begin_ns_),
      end_due_ns_(end_ns_),
      backends_(Place(world.all_backends())) {
  if (samples > 0) {
    sample_every_ns_ = (end_ns_ - begin_ns_) / samples;
    sample_due_ns_ = begin_ns_ + sample_every_ns_;
    sample_.requests.assign(backends_.size(), 0);
  }
  DecideNext();
}

void Recorder::DecideNext() {
  next_ns_ = std::min({begin_due_ns_, half_ns_, sample_due_ns_, end_due_ns_});
}

void Recorder::OnTime() {
  const int64_t now_ns = next_ns_;
  if (now_ns == begin_due_ns_) OnBegin();
  if (now_ns == half_ns_) OnHalf();
  if (now_ns == sample_due_ns_) TakeSample();
  if (now_ns == end_due_ns_) OnEnd();
  DecideNext();
}

void Recorder::OnBegin() {
  occupancy_.Restart(begin_ns_);
  begin_due_ns_ = kNever;
}

void Recorder::OnHalf() {
  for (Backend& backend : backends_) backend.at_half = backend.present;
  waiting_at_half_ = waiting_;
  half_ns_ = kNever;
}

void Recorder::TakeSample() {
  sample_.time_ms = (sample_due_ns_ - begin_ns_) / kNsPerMs;
  sample_.waiting = waiting_;
  for (const Backend& backend : backends_) sample_.present.push_back(backend.present);
  outcome_.samples.push_back(std::exchange(sample_, Sample()));
  sample_.requests.assign(backends_.size(), 0);
  sample_due_ns_ += sample_every_ns_;
  if (sample_due_ns_ > end_ns_) sample_due_ns_ = kNever;
}

void Recorder::OnEnd() {
  outcome_.at_least = occupancy_.Means(end_ns_);
  for (double& mean : outcome_.at_least) mean /= static_cast<double>(backends_.size());
  outcome_.growing = Growing();
  end_due_ns_ = kNever;
}

void Recorder::OnSent(int backend, int64_t due_ns, int64_t now_ns) {
  Backend& to = backends_[Place(backend)];
  occupancy_.Enter(++to.present, now_ns);
  if (!Measured(due_ns)) return;
  ++to.requests;
  if (sample_due_ns_ != kNever) ++sample_.requests[Place(backend)];
}

void Recorder::OnAnswered(int backend, int64_t due_ns, int64_t now_ns) {
  occupancy_.Leave(backends_[Place(backend)].present--, now_ns);
  if (!Measured(due_ns)) return;
  const auto latency_ns = static_cast<uint64_t>(now_ns - due_ns);
  outcome_.latency_ns.Record(latency_ns);
  if (sample_due_ns_ != kNever) sample_.latency_ns.Record(latency_ns);
}

void Recorder::OnWait(int64_t due_ns, bool for_any) {
  waiting_ += for_any ? 1 : 0;
  outcome_.waited += Measured(due_ns) ? 1 : 0;
}

// Judged by what backends were sent rather than by how the queues look: these go up and down.
bool Recorder::Growing() const {
  // More than all can do, and no help to come: it grows, however slowly.
  if (world_.utilisation >= 1 && (world_.joining == 0 || waiting_ > waiting_at_half_)) return true;
  for (size_t i = 0; i < backends_.size(); ++i) {
    const double mean_ms = world_.mean_ms_of(static_cast<int>(i));
    const double load = static_cast<double>(backends_[i].requests) * mean_ms /
                        static_cast<double>(world_.duration_ms);
    if (load > kTooMuch && backends_[i].present > backends_[i].at_half) return true;
  }
  return false;
}

Outcome Recorder::Finish() {
  for (size_t i = 0; i < backends_.size(); ++i) {
    outcome_.requests.push_back(backends_[i].requests);
    outcome_.load.push_back(static_cast<double>(backends_[i].requests) *
                            world_.mean_ms_of(static_cast<int>(i)) /
                            static_cast<double>(world_.duration_ms));
  }
  return std::move(outcome_);
}

}  // namespace l4lb::lab
