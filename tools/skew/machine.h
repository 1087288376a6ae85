// SPDX-License-Identifier: Apache-2.0
//
// Where and with what a run was made: figures mean little without.
#pragma once

#include <string>

namespace l4lb::skew {

struct Machine {
  std::string l4lb;    ///< Its version.
  std::string kernel;  ///< "Linux 6.18.5".
  std::string cpu;     ///< Empty when the kernel does not say.
  int cores = 0;       ///< That this process may use.
  std::string date;    ///< "2026-12-01", UTC.
};

Machine ThisMachine();

}  // namespace l4lb::skew
