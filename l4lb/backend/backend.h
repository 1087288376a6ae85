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

class Lease;

class Backend {
 public:
  Backend(std::string name, const SocketAddress& address, uint32_t weight)
      : name_(std::move(name)),
        address_(address),
        address_text_(address.ToString()),
        weight_(weight) {}
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const std::string& name() const { return name_; }
  const SocketAddress& address() const { return address_; }
  const std::string& address_text() const { return address_text_; }
  uint32_t weight() const { return weight_; }

  /// Leases held now, by any worker.
  int64_t active() const { return active_.load(std::memory_order_relaxed); }
  /// Connections established since the start.
  uint64_t sessions() const { return sessions_.load(std::memory_order_relaxed); }
  /// Connections that it refused or did not answer in time.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

  void CountSession() { sessions_.fetch_add(1, std::memory_order_relaxed); }
  void CountFailure() { failures_.fetch_add(1, std::memory_order_relaxed); }

  /// Takes a place.  The backend must outlive the lease.
  Lease Acquire();

 private:
  friend class Lease;

  const std::string name_;
  const SocketAddress address_;
  const std::string address_text_;
  const uint32_t weight_;
  alignas(64) std::atomic<int64_t> active_{0};
  std::atomic<uint64_t> sessions_{0};
  std::atomic<uint64_t> failures_{0};
};

/// A place taken at a backend: from the pick, over the connect, to the end of the session.  Giving
/// it up is the only way in which Backend::active() falls.
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
  void Release() {
    if (Backend* held = std::exchange(backend_, nullptr)) {
      held->active_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  friend class Backend;
  explicit Lease(Backend* backend) : backend_(backend) {}

  Backend* backend_ = nullptr;
};

inline Lease Backend::Acquire() {
  active_.fetch_add(1, std::memory_order_relaxed);
  return Lease(this);
}

}  // namespace l4lb
