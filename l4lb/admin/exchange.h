// SPDX-License-Identifier: Apache-2.0
//
// One request at libmicrohttpd, from its first line to the end of its answer.  Used by http_front.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "l4lb/admin/request.h"

struct MHD_Connection;

namespace l4lb {

class Exchange {
 public:
  enum class Stage {
    kNew,       // Only the target is known.
    kBody,      // The head is; the body comes.
    kWorking,   // A request thread works on it; libmicrohttpd leaves it alone.
    kAnswered,  // `response` is to be sent.
  };

  Exchange(MHD_Connection* connection, std::string_view target);

  /// Takes what the head says over.  False: it announces a body of more than `most` bytes.
  bool TakeHead(std::string_view method, size_t most);
  /// What comes beyond `most` bytes is dropped.  False: so much that the connection should end.
  bool TakeBody(std::string_view bytes, size_t most);
  bool too_large() const { return dropped_ > 0; }
  /// Hands `response` to libmicrohttpd.  False: it could not take it.
  bool Send();

  MHD_Connection* connection() const { return connection_; }
  int fd() const { return fd_; }

  Stage stage = Stage::kNew;
  Request request;
  Response response;

 private:
  std::string Header(const char* name) const;

  MHD_Connection* const connection_;
  const int fd_;
  size_t dropped_ = 0;  // Bytes of the body.
};

}  // namespace l4lb
