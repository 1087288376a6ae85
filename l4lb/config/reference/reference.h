// SPDX-License-Identifier: Apache-2.0
//
// What is generated from the key table, each as the whole text of a file.  Used by
// config_reference.cc only.
#pragma once

#include <string>

namespace l4lb {

std::string ReferenceMarkdown();  // docs/reference/config.md
std::string JsonSchema();         // docs/reference/l4lb.schema.json
std::string DaemonManPage();      // packaging/l4lb.8
std::string FileManPage();        // packaging/l4lb.yaml.5

}  // namespace l4lb
