// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/http2.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "glog/logging.h"

namespace l4lb::skew {
namespace {

constexpr size_t kMostUnsent = 64 << 10;
constexpr uint32_t kMostStreams = 1000;
constexpr std::string_view kBackendHeader = "x-backend";

nghttp2_nv Header(std::string_view name, std::string_view value) {
  return {.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

std::string_view Text(const uint8_t* bytes, size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

bool EndsStream(const nghttp2_frame& frame) {
  return (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

}  // namespace

struct Http2Connection::Callbacks {
  static Http2Connection& Of(void* self) { return *static_cast<Http2Connection*>(self); }

  static int BeginHeaders(nghttp2_session*, const nghttp2_frame*, void* self) {
    Of(self).backend_.clear();
    Of(self).good_ = false;
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* self) {
    const std::string_view key = Text(name, name_size);
    if (key == kBackendHeader) Of(self).backend_ = Text(value, value_size);
    if (key == ":status") Of(self).good_ = Text(value, value_size) == "200";
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    Http2Connection& connection = Of(self);
    const bool headers = frame->hd.type == NGHTTP2_HEADERS;
    if (frame->hd.type == NGHTTP2_GOAWAY) connection.going_away_ = true;
    if (connection.role_ == Role::kServer) {
      if (headers && EndsStream(*frame)) connection.OnRequest(frame->hd.stream_id);
    } else if (headers) {
      connection.OnAnswer(frame->hd.stream_id, connection.backend_, connection.good_);
    }
    return 0;
  }

  static int OnStreamClose(nghttp2_session*, int32_t stream, uint32_t, void* self) {
    Of(self).OnLost(stream);
    return 0;
  }

  static nghttp2_session_callbacks* Make() {
    nghttp2_session_callbacks* made = nullptr;
    CHECK_EQ(nghttp2_session_callbacks_new(&made), 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(made, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, OnStreamClose);
    return made;
  }
};

Http2Connection::Http2Connection(UniqueFd fd, Role role) : fd_(std::move(fd)), role_(role) {
  static nghttp2_session_callbacks* const callbacks = Callbacks::Make();
  nghttp2_session* session = nullptr;
  const auto make = role == Role::kClient ? nghttp2_session_client_new : nghttp2_session_server_new;
  CHECK_EQ(make(&session, callbacks, this), 0);
  session_.reset(session);
  const nghttp2_settings_entry settings = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMostStreams};
  CHECK_EQ(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &settings, 1), 0);
}

int32_t Http2Connection::Submit() {
  if (!open() || nghttp2_session_check_request_allowed(session_.get()) == 0) return -1;
  const std::array headers = {Header(":method", "GET"), Header(":scheme", "http"),
                              Header(":authority", "skew"), Header(":path", "/")};
  return nghttp2_submit_request(session_.get(), nullptr, headers.data(), headers.size(), nullptr,
                                nullptr);
}

void Http2Connection::Answer(int32_t stream, std::string_view name) {
  const std::array headers = {Header(":status", "200"), Header(kBackendHeader, name)};
  nghttp2_submit_response(session_.get(), stream, headers.data(), headers.size(), nullptr);
}

void Http2Connection::Flush() {
  while (open() && !inside_) {
    if (!Gather()) return Close();
    if (unsent_.empty()) return;
    const ssize_t sent = send(fd_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      unsent_.erase(0, static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      return Close();
    }
  }
}

// What there is to send, as far as it may pile up.  False: nothing more can come of this
// connection.
bool Http2Connection::Gather() {
  const uint8_t* bytes = nullptr;
  ssize_t count = 1;
  inside_ = true;
  while (unsent_.size() < kMostUnsent && count > 0) {
    count = nghttp2_session_mem_send(session_.get(), &bytes);
    if (count > 0) unsent_.append(Text(bytes, static_cast<size_t>(count)));
  }
  inside_ = false;
  return count >= 0;
}

void Http2Connection::OnReady(uint32_t events) {
  if (closed_) return;
  if (!connected_ && (events & (EPOLLERR | EPOLLHUP)) != 0) return Close();
  if (!connected_ && (events & EPOLLOUT) != 0) {
    connected_ = true;
    OnOpen();
  }
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)) != 0) ReadAll();
  Flush();
}

void Http2Connection::ReadAll() {
  std::array<uint8_t, 16 << 10> bytes;
  while (!closed_) {
    const ssize_t count = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (count > 0) {
      if (!Take(bytes.data(), static_cast<size_t>(count))) return Close();
    } else if (count < 0 && errno == EAGAIN) {
      return;
    } else if (count == 0 || errno != EINTR) {
      return Close();
    }
  }
}

// False: nothing more can come of this connection.
bool Http2Connection::Take(const uint8_t* bytes, size_t count) {
  inside_ = true;
  const ssize_t taken = nghttp2_session_mem_recv(session_.get(), bytes, count);
  inside_ = false;
  if (taken < 0) return false;
  // Who goes away may answer what it has, and closes afterwards; nobody here needs that long.
  return !(going_away_ && role_ == Role::kClient);
}

void Http2Connection::Close() {
  if (closed_) return;
  closed_ = true;
  fd_.Reset();
  OnClosed();
}

}  // namespace l4lb::skew
