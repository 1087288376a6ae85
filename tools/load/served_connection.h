// SPDX-License-Identifier: Apache-2.0
//
// A connection of `l4lb-load serve`.  Its thread (server.h) accepts it and uses the object again
// after it has closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "l4lb/net/unique_fd.h"
#include "tools/load/ask.h"
#include "tools/load/loop.h"
#include "tools/load/pattern.h"

namespace l4lb::load {

/// What connections need of their thread.
class ServingThread {
 public:
  static constexpr size_t kScratch = 256 * 1024;

  virtual const Pattern& pattern() const = 0;
  virtual char* scratch() = 0;  ///< kScratch bytes, for one call.
  /// Calls Continue() in the next turn.
  virtual void Later(class ServedConnection* connection) = 0;
  /// It is closed.
  virtual void Retire(class ServedConnection* connection) = 0;

 protected:
  ~ServingThread() = default;
};

class ServedConnection final : public Watcher {
 public:
  explicit ServedConnection(ServingThread& thread) : thread_(thread) {}

  /// With Mode::kAsk the client says the rest.  `fd` is to be watched by the caller.
  void Adopt(UniqueFd fd, const Ask& ask);
  void OnReady(uint32_t events) override;
  void Continue();
  int fd() const { return fd_.get(); }

 private:
  enum class Step { kAgain, kWait, kClosed };

  Step ReadAsk();
  Step Serve();
  Step Echo();
  Step EchoOnce();
  Step Sink();
  Step Source();
  Step Both();
  Step Answer();
  /// Reads and drops until the client has finished, then closes.
  Step DropToTheEnd();
  Step Flush();
  Step AfterShortRead() const;
  /// True when `limit` is reached and the fate has come.
  bool MeetFate();
  Step Close();
  Step Reset();
  /// Of a failed call: wait for EAGAIN, else close.
  Step Failed(int error);
  bool Check(size_t bytes);

  ServingThread& thread_;
  UniqueFd fd_;
  Ask ask_;
  Ask::Bytes ask_bytes_ = {};
  size_t ask_size_ = 0;
  bool later_ = false;
  bool end_is_near_ = false;  // An event said so: the input is to be read until its end.
  bool dropping_ = false;
  bool input_ended_ = false;  // kBoth
  std::string pending_;       // Echo: what could not be sent.
  size_t pending_sent_ = 0;
  uint64_t received_ = 0;
  uint64_t sent_ = 0;
  uint64_t first_wrong_ = Verdict::kAllRight;
};

}  // namespace l4lb::load
