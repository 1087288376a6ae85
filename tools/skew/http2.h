// SPDX-License-Identifier: Apache-2.0
//
// One HTTP/2 connection without TLS, from its first byte on ("prior knowledge", RFC 9113 3.3), over
// a non-blocking socket.  nghttp2 knows the protocol; this moves the bytes and says what happened.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "l4lb/net/unique_fd.h"
#include "tools/kit/event_loop.h"

namespace l4lb::skew {

class Http2Connection : public kit::Watcher {
 public:
  enum class Role { kClient, kServer };

  /// `fd` may still be connecting.
  Http2Connection(UniqueFd fd, Role role);
  virtual ~Http2Connection() = default;
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  /// 0 or an errno.  From here on the loop may call.
  int Start(kit::EventLoop& loop) { return loop.Watch(fd_.get(), this); }

  /// Client: sends a request.  Its stream, or -1 when this connection takes no more.
  int32_t Submit();
  /// Server: answers with the name of who did it.
  void Answer(int32_t stream, std::string_view name);
  /// Gives to the kernel what it takes.
  void Flush();

  /// Connected, and not at its end.
  bool open() const { return connected_ && !closed_; }
  bool closed() const { return closed_; }

  void OnReady(uint32_t events) final;

 protected:
  /// Client: the connection is there, and takes requests.
  virtual void OnOpen() {}
  /// Server: a request is there as a whole.
  virtual void OnRequest(int32_t) {}
  /// Client: an answer is there, from the backend of this name; `good` when its status is 200.
  virtual void OnAnswer(int32_t, std::string_view, bool) {}
  /// A stream ended without an answer.
  virtual void OnLost(int32_t) {}
  /// The last call, unless the object ends first: the other end has finished or failed, or says
  /// that it will take no more.  The socket is closed.
  virtual void OnClosed() = 0;

 private:
  struct Free {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };
  /// What nghttp2 calls.
  struct Callbacks;

  void ReadAll();
  bool Gather();
  bool Take(const uint8_t* bytes, size_t count);
  void Close();

  UniqueFd fd_;
  const Role role_;
  std::unique_ptr<nghttp2_session, Free> session_;
  std::string unsent_;
  // Of the header block that is being read: nghttp2 reads one at a time (RFC 9113 4.3).
  std::string backend_;
  bool good_ = false;
  bool connected_ = false;
  bool inside_ = false;  // Of a function of nghttp2, which must not be called again meanwhile.
  bool going_away_ = false;
  bool closed_ = false;
};

}  // namespace l4lb::skew
