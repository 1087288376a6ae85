// SPDX-License-Identifier: Apache-2.0
//
// A load over connections that are opened before the window begins and are meant to last: echo,
// bulk and idle.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/load/connection.h"
#include "tools/load/work.h"

namespace l4lb::load {

class FleetWork : public Work {
 public:
  using Work::Work;

  /// Opens all, a limited number at a time, so that no backlog overflows.
  void Open() final;

  // --- for the members

  void OnMemberOpen();
  void OnMemberDialFailed(int error);
  /// One that was open is closed, by whoever.
  void OnMemberClosed();

 protected:
  void DialMember(Connection& connection);
  virtual int size() const = 0;
  virtual Connection& member(int index) = 0;
  /// Still needed before the window begins, such as an exchange on each.
  virtual bool Ready() const { return true; }

 private:
  int64_t dialing_ = 0;
};

}  // namespace l4lb::load
