// SPDX-License-Identifier: Apache-2.0
//
// One backend: its identity, what it is doing now, and what it has done.  Shared by all workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "l4lb/backend/encounters.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {

class Pool;

/// Made by Pool::Add() only.
class Backend {
 public:
  Backend(Pool& pool, int slot, std::string name, const SocketAddress& address)
      : pool_(pool),
        slot_(slot),
        name_(std::move(name)),
        address_(address),
        address_text_(address.ToString()) {}
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  Pool& pool() const { return pool_; }
  /// The process knows no other with this number, ever.
  uint64_t id() const { return id_; }
  /// Its number in its pool, for as long as it lives.
  int slot() const { return slot_; }
  const std::string& name() const { return name_; }
  const SocketAddress& address() const { return address_; }
  const std::string& address_text() const { return address_text_; }

  /// Leases held now, by any worker.
  int64_t active() const;
  Tally tally() const { return encounters_.tally(); }

  /// It refused or did not answer: until this time others are picked before it.
  int64_t avoided_until_ms() const { return avoided_until_ms_.load(std::memory_order_relaxed); }

  /// While something refers to it without a lease, it is not forgotten.
  void Pin() { pins_.fetch_add(1, std::memory_order_relaxed); }
  void Unpin() { pins_.fetch_sub(1, std::memory_order_release); }

  // What sessions meet.

  void CountSession(int64_t connect_ms) { encounters_.Connected(connect_ms); }
  /// A connection that it refused or did not answer.
  void CountFailure(int64_t now_ms);
  /// A session has had its first byte.
  void CountAnswer() { encounters_.Answered(); }
  /// A connection that it reset before its first byte, which the client did not cause.
  void CountEarlyReset(int64_t now_ms);

  /// When its slow start began, of Clock::NowMs(); 0: it has its full share.
  int64_t slow_start_ms() const { return slow_start_ms_.load(std::memory_order_relaxed); }
  /// See SlowStartTerms.
  double candidacy() const { return candidacy_.load(std::memory_order_relaxed); }

 private:
  friend class Pool;

  static uint64_t NextId();

  Pool& pool_;
  const int slot_;
  const uint64_t id_ = NextId();
  const std::string name_;
  const SocketAddress address_;
  const std::string address_text_;
  alignas(64) Encounters encounters_;
  std::atomic<int64_t> avoided_until_ms_{0};
  std::atomic<int64_t> slow_start_ms_{0};
  std::atomic<double> candidacy_{1};
  std::atomic<int> wanted_{0};  // Waiters of the pool that wait for this one only.
  std::atomic<int> pins_{0};
};

/// A place taken at a backend and in its pool: from the pick, over the connect, to the end of the
/// session.  Giving it up is the only way in which Backend::active() falls; a session that waits
/// for a place is given it then.  Any thread.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept : backend_(std::exchange(other.backend_, nullptr)) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      Release();
      backend_ = std::exchange(other.backend_, nullptr);
    }
    return *this;
  }
  ~Lease() { Release(); }

  Backend* backend() const { return backend_; }
  explicit operator bool() const { return backend_ != nullptr; }
  void Release();

 private:
  friend class Pool;
  explicit Lease(Backend* backend) : backend_(backend) {}

  Backend* backend_ = nullptr;
};

}  // namespace l4lb
