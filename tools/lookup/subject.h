// SPDX-License-Identifier: Apache-2.0
//
// A lookup structure as the measurements see it, whatever its type.  Calls are for many lookups at
// once, so that each loop is compiled for the structure itself and a virtual call costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace l4lb::lookup {

struct Node {
  uint32_t id = 0;
  uint32_t weight = 1;
};

/// The name that algorithms know a node by.
inline std::string KeyOf(const Node& node) { return "node-" + std::to_string(node.id); }

class Subject {
 public:
  virtual ~Subject() = default;

  /// owners[i] becomes the id of the node that has hashes[i].
  virtual void FindOwners(absl::Span<const uint64_t> hashes, absl::Span<uint32_t> owners) const = 0;
  /// Lookups that do not wait for each other: for throughput.
  virtual void LookUpApart(uint64_t times) const = 0;
  /// Lookups of which each needs the result of the one before: for latency.
  virtual void LookUpChained(uint64_t times) const = 0;
  virtual uint64_t memory_bytes() const = 0;
};

/// `Finder` has `uint32_t Lookup(uint64_t hash) const` and `memory_bytes()`.
template <class Finder>
class SubjectOf : public Subject {
 public:
  /// `ids[i]`: who is meant by a result of i.
  SubjectOf(std::unique_ptr<const Finder> finder, std::vector<uint32_t> ids)
      : finder_(std::move(finder)), ids_(std::move(ids)) {}

  void FindOwners(absl::Span<const uint64_t> hashes, absl::Span<uint32_t> owners) const override {
    for (size_t i = 0; i < hashes.size(); ++i) owners[i] = ids_[finder_->Lookup(hashes[i])];
  }

  void LookUpApart(uint64_t times) const override {
    const Finder& finder = *finder_;
    uint64_t counter = 1;
    for (uint64_t i = 0; i < times; ++i) {
      counter += kStep;
      Keep(finder.Lookup(counter * counter));
    }
  }

  void LookUpChained(uint64_t times) const override {
    const Finder& finder = *finder_;
    uint64_t counter = 1;
    uint32_t found = 0;
    for (uint64_t i = 0; i < times; ++i) {
      counter += kStep + found;
      found = finder.Lookup(counter * counter);
    }
    Keep(found);
  }

  uint64_t memory_bytes() const override { return finder_->memory_bytes(); }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;

  // The compiler must take `value` as used.
  static void Keep(uint32_t value) { asm volatile("" : : "r"(value)); }

  const std::unique_ptr<const Finder> finder_;
  const std::vector<uint32_t> ids_;
};

}  // namespace l4lb::lookup
