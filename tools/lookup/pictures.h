// SPDX-License-Identifier: Apache-2.0
//
// What the page draws that is no measurement: a Maglev table slot by slot, and rings point by
// point.  Made by the libraries themselves.
#pragma once

#include "nlohmann/json.hpp"

namespace l4lb::lookup {

/// {"nodes", "size", "gone", "before", "removed", "dead"}: the owner of every slot as a byte, in
/// base64: of ten nodes; built without the node `gone`; with it dead (WithAlive).
nlohmann::ordered_json MaglevPicture();

/// {"nodes", "points", "positions"}: of eight nodes, in base64 the first points of each, by node,
/// as 32-bit little-endian numbers that divide the circle into 2^32 parts.
nlohmann::ordered_json RingPicture();

}  // namespace l4lb::lookup
