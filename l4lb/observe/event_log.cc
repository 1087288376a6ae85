// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/event_log.h"

#include <glog/logging.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "l4lb/observe/log_thread.h"

namespace l4lb {
namespace {

constexpr int kLinesPerSecond = 5;
constexpr size_t kMaxWaiting = 1024;
constexpr size_t kMaxText = 240;
constexpr int kStderrLookMs = 100;
constexpr std::chrono::seconds kPatience(1);

constexpr size_t kEvents = 0
#define L4LB_COUNT(name, severity) +1
    L4LB_EVENTS(L4LB_COUNT)
#undef L4LB_COUNT
    ;

void WriteToGlog(Event event, std::string_view line) {
  switch (event) {
#define L4LB_WRITE(name, severity) \
  case Event::name:                \
    LOG(severity) << line;         \
    break;
    L4LB_EVENTS(L4LB_WRITE)
#undef L4LB_WRITE
  }
}

// Whether a line goes to stderr without blocking: whoever blocks inside glog blocks all its users.
bool StderrReady() {
  pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&ready, 1, kStderrLookMs) != 0;
}

// One line of valid length: cut between characters, control characters made spaces.
std::string CleanText(std::string_view text) {
  size_t size = std::min(text.size(), kMaxText);
  while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80) --size;
  std::string clean(text.substr(0, size));
  std::replace_if(
      clean.begin(), clean.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return clean;
}

// Shared by those who post and the thread.  Outlives the EventLog when the output is stuck.
class Queue {
 public:
  explicit Queue(EventLogOptions options) : options_(std::move(options)) {
    if (options_.clock == nullptr) options_.clock = &Clock::Real();
  }

  void Post(Event event, std::string_view text) {
    std::string clean = CleanText(text);
    std::lock_guard lock(mutex_);
    Kind& kind = kinds_[static_cast<size_t>(event)];
    if (!Admit(kind)) {
      ++kind.held_back;
      suppressed_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    std::string line = absl::StrCat(Name(event).data(), ": ", clean);
    if (kind.held_back > 0) absl::StrAppend(&line, " (", kind.held_back, " more suppressed)");
    kind.held_back = 0;
    lines_.push_back({event, std::move(line)});
    changed_.notify_all();
  }

  uint64_t suppressed() const { return suppressed_.load(std::memory_order_relaxed); }

  // False when the thread was still writing when patience ended.
  bool Stop() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    return changed_.wait_for(lock, kPatience, [this] { return ended_; });
  }

  // The thread.
  void Run() {
    for (Line line; Take(&line);) Write(line);
    for (size_t i = 0; i < kEvents; ++i) {
      const Event event = static_cast<Event>(i);
      const uint64_t held_back = TakeHeldBack(event);
      if (held_back == 0) continue;
      Write({event, absl::StrCat(Name(event).data(), ": ", held_back, " more suppressed")});
    }
    std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  struct Line {
    Event event;
    std::string text;
  };
  struct Kind {
    int64_t second_began_ms = INT64_MIN / 2;
    int lines = 0;           // In that second.
    uint64_t held_back = 0;  // Since the last line.
  };

  bool Admit(Kind& kind) {
    const int64_t now_ms = options_.clock->NowMs();
    if (now_ms - kind.second_began_ms >= 1000) {
      kind.second_began_ms = now_ms;
      kind.lines = 0;
    }
    if (kind.lines >= kLinesPerSecond || lines_.size() >= kMaxWaiting) return false;
    ++kind.lines;
    return true;
  }

  // False when stopping and nothing waits.
  bool Take(Line* line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || !lines_.empty(); });
    if (lines_.empty()) return false;
    *line = std::move(lines_.front());
    lines_.pop_front();
    return true;
  }

  uint64_t TakeHeldBack(Event event) {
    std::lock_guard lock(mutex_);
    return std::exchange(kinds_[static_cast<size_t>(event)].held_back, 0);
  }

  bool stopping() {
    std::lock_guard lock(mutex_);
    return stopping_;
  }

  void Write(const Line& line) {
    if (options_.write) {
      options_.write(line.event, line.text);
      return;
    }
    while (!stuck_ && !StderrReady()) stuck_ = stopping();
    if (stuck_) return;
    WriteToGlog(line.event, line.text);
  }

  EventLogOptions options_;
  std::atomic<uint64_t> suppressed_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Line> lines_;
  std::array<Kind, kEvents> kinds_;
  bool stopping_ = false;
  bool ended_ = false;
  bool stuck_ = false;  // The thread's own: stopping, and stderr takes no more.
};

class ThreadedEventLog : public EventLog {
 public:
  explicit ThreadedEventLog(EventLogOptions options)
      : queue_(std::make_shared<Queue>(std::move(options))),
        thread_(StartLogThread("event_log", [queue = queue_] { queue->Run(); })) {}
  ~ThreadedEventLog() override {
    if (queue_->Stop()) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }

  void Post(Event event, std::string_view text) override { queue_->Post(event, text); }
  uint64_t suppressed() const override { return queue_->suppressed(); }

 private:
  const std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<EventLog> MakeEventLog(EventLogOptions options) {
  return std::make_unique<ThreadedEventLog>(std::move(options));
}

std::string_view Name(Event event) {
  switch (event) {
#define L4LB_NAME(name, severity) \
  case Event::name:               \
    return #name;
    L4LB_EVENTS(L4LB_NAME)
#undef L4LB_NAME
  }
  return "unknown";
}

}  // namespace l4lb
