// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "l4lb/server/version.h"

namespace l4lb::skew {
namespace {

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(": ") + 2);
  }
  return "";
}

std::string Kernel() {
  utsname names = {};
  uname(&names);
  return absl::StrCat(names.sysname, " ", names.release);
}

int Cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

Machine ThisMachine() {
  return {.l4lb = kVersion,
          .kernel = Kernel(),
          .cpu = CpuModel(),
          .cores = Cores(),
          .date = absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone())};
}

}  // namespace l4lb::skew
