// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/close_reason.h"

namespace l4lb {

std::string_view Name(CloseReason reason) {
  switch (reason) {
#define L4LB_NAME(name, text) \
  case CloseReason::name:     \
    return #name;
    L4LB_CLOSE_REASONS(L4LB_NAME)
#undef L4LB_NAME
  }
  return "unknown";
}

std::string_view Meaning(CloseReason reason) {
  switch (reason) {
#define L4LB_MEANING(name, text) \
  case CloseReason::name:        \
    return text;
    L4LB_CLOSE_REASONS(L4LB_MEANING)
#undef L4LB_MEANING
  }
  return "unknown";
}

std::string_view Name(Phase phase) {
  switch (phase) {
    case Phase::queue:
      return "queue";
    case Phase::connect:
      return "connect";
    case Phase::data:
      return "data";
  }
  return "unknown";
}

}  // namespace l4lb
