// SPDX-License-Identifier: Apache-2.0
//
// Runs threads one at a time and decides, by a seed, at every InterleavingPoint() who goes on: the
// real code under one interleaving of its steps after the other.  Explores sequentially consistent
// orders only; weaker ones are for ThreadSanitizer and the hardware.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "tests/support/dice.h"

namespace l4lb {

class Interleaver {
 public:
  explicit Interleaver(uint64_t seed) : dice_(seed) {}

  /// Runs the bodies to their ends.
  void Run(std::vector<std::function<void()>> bodies);
  /// Of whichever thread runs: only one does.
  Dice& dice() { return dice_; }
  /// From a body: others may go on here.
  void Point();
  /// The one that runs, if any.
  static Interleaver* current();

 private:
  struct Runner {
    std::binary_semaphore turn{0};
    bool done = false;
    std::thread thread;
  };
  void PassOn(bool may_stay);

  Dice dice_;
  std::vector<std::unique_ptr<Runner>> runners_;
  size_t running_ = 0;
};

}  // namespace l4lb
