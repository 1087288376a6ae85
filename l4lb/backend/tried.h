// SPDX-License-Identifier: Apache-2.0
//
// The backends that one session could not connect to.  They are not forgotten meanwhile, although
// the session has no lease on them any more.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "l4lb/backend/backend.h"

namespace l4lb {

class Tried {
 public:
  Tried() = default;
  Tried(const Tried&) = delete;
  Tried& operator=(const Tried&) = delete;
  ~Tried() {
    for (Backend* backend : backends_) backend->Unpin();
  }

  void Add(Backend& backend) {
    backend.Pin();
    backends_.push_back(&backend);
  }
  const Backend* last() const { return backends_.back(); }
  absl::Span<Backend* const> all() const { return backends_; }

 private:
  std::vector<Backend*> backends_;
};

}  // namespace l4lb
