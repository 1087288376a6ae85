// SPDX-License-Identifier: Apache-2.0
//
// One backend: its identity, what it is doing now, and what it has done.  Shared by all workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

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
  /// Its number in its pool, for as long as it lives.
  int slot() const { return slot_; }
  const std::string& name() const { return name_; }
  const SocketAddress& address() const { return address_; }
  const std::string& address_text() const { return address_text_; }

  /// Leases held now, by any worker.
  int64_t active() const;
  /// Connections established since the start.
  uint64_t sessions() const { return sessions_.load(std::memory_order_relaxed); }
  /// Connections that it refused or did not answer in time.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

  /// It refused or did not answer: until this time others are picked before it.
  int64_t avoided_until_ms() const { return avoided_until_ms_.load(std::memory_order_relaxed); }

  /// While something refers to it without a lease, it is not forgotten.
  void Pin() { pins_.fetch_add(1, std::memory_order_relaxed); }
  void Unpin() { pins_.fetch_sub(1, std::memory_order_release); }

  void CountSession() { sessions_.fetch_add(1, std::memory_order_relaxed); }
  /// A connection that it refused or did not answer.
  void CountFailure(int64_t now_ms);

 private:
  friend class Pool;

  Pool& pool_;
  const int slot_;
  const std::string name_;
  const SocketAddress address_;
  const std::string address_text_;
  alignas(64) std::atomic<uint64_t> sessions_{0};
  std::atomic<uint64_t> failures_{0};
  std::atomic<int64_t> avoided_until_ms_{0};
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
