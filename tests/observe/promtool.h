// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "temporary_folder.h"

namespace l4lb {

/// What Prometheus' own checker has to say against `text`; empty: nothing.
/// `command`: "check metrics <" or "check rules".
inline std::string Promtool(const std::string& command, const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder.File("input");
  const std::string output = folder.File("output");
  std::ofstream(file) << text;
  const std::string line = "promtool " + command + " " + file + " >" + output + " 2>&1";
  const int status = std::system(line.c_str());  // NOLINT(cert-env33-c): promtool is a program.
  if (status == 0) return "";
  std::ostringstream said;
  said << "status " << status << ": " << std::ifstream(output).rdbuf();
  return said.str();
}

}  // namespace l4lb
