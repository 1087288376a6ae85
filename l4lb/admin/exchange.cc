// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/exchange.h"

#include <microhttpd.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

int FdOf(MHD_Connection* connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

std::string UnixPeer(int fd) {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return "unix";
  return absl::StrCat("unix:uid=", peer.uid, ",pid=", peer.pid);
}

void FreeText(void* text) { delete static_cast<std::string*>(text); }

/// nullptr: no memory.
MHD_Response* MakeResponse(Response response) {
  auto* body = new std::string(std::move(response.body));
  MHD_Response* made = MHD_create_response_from_buffer_with_free_callback_cls(
      body->size(), body->data(), &FreeText, body);
  if (made == nullptr) {
    delete body;
    return nullptr;
  }
  // What a page of another site may not read must not be guessed from a cache or a content type.
  MHD_add_response_header(made, "Cache-Control", "no-store");
  MHD_add_response_header(made, "X-Content-Type-Options", "nosniff");
  if (!response.type.empty()) {
    MHD_add_response_header(made, "Content-Type", response.type.c_str());
  }
  for (const auto& [name, value] : response.headers) {
    MHD_add_response_header(made, name.c_str(), value.c_str());
  }
  return made;
}

}  // namespace

Exchange::Exchange(MHD_Connection* connection, std::string_view target)
    : connection_(connection), fd_(FdOf(connection)) {
  request.target = target;
}

std::string Exchange::Header(const char* name) const {
  const char* value = MHD_lookup_connection_value(connection_, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

bool Exchange::TakeHead(std::string_view method, size_t most) {
  request.method = method;
  request.host = Header("Host");
  request.origin = Header("Origin");
  request.fetch_site = Header("Sec-Fetch-Site");
  request.authorization = Header("Authorization");
  const SocketAddress peer = PeerAddress(fd_);
  request.local = peer.family() == AF_UNIX;
  request.peer = request.local ? UnixPeer(fd_) : peer.ToString();
  uint64_t announced = 0;
  return !absl::SimpleAtoi(Header("Content-Length"), &announced) || announced <= most;
}

bool Exchange::TakeBody(std::string_view bytes, size_t most) {
  const size_t taken = std::min(bytes.size(), most - request.body.size());
  request.body.append(bytes.substr(0, taken));
  dropped_ += bytes.size() - taken;
  return dropped_ <= 16 * most;
}

bool Exchange::Send() {
  const auto status = static_cast<unsigned>(response.status);
  MHD_Response* made = MakeResponse(std::move(response));
  if (made == nullptr) return false;
  const MHD_Result queued = MHD_queue_response(connection_, status, made);
  MHD_destroy_response(made);
  return queued == MHD_YES;
}

}  // namespace l4lb
