// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/errno_text.h"

#include <cctype>
#include <cstring>

namespace l4lb {

std::string ErrnoText(int error) { return MidSentence(std::strerror(error)); }

std::string MidSentence(std::string text) {
  // "RPC ..." and the like keep their capitals.
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]))) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

}  // namespace l4lb
