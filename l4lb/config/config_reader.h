// SPDX-License-Identifier: Apache-2.0
//
// From the tree of a YAML file to a Config, by the key table: unknown, duplicate and missing keys,
// wrong types and values.  All errors go to `diagnostics`; what they are about keeps its default.
// Called by load.cc.
#pragma once

#include "l4lb/config/config.h"
#include "l4lb/config/diagnostics.h"
#include "l4lb/config/origins.h"
#include "l4lb/config/yaml_tree.h"

namespace l4lb {

void ReadConfig(const YamlNode& root, Diagnostics* diagnostics, Origins* origins, Config* config);

}  // namespace l4lb
