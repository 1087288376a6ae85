// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/access_log.h"

#include <glog/logging.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/net/clock.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/net/unique_fd.h"
#include "l4lb/observe/log_file.h"
#include "l4lb/observe/log_thread.h"
#include "l4lb/observe/record_format.h"
#include "l4lb/observe/record_ring.h"

namespace l4lb {
namespace {

constexpr size_t kBatchBytes = 64 << 10;
constexpr int64_t kDestructorPatienceMs = 1000;
constexpr int64_t kGraceMs = 50;  // For the thread to notice that its time is over.
constexpr int64_t kNotStopping = INT64_MAX;

// The writing side.  Outlives the AccessLog when its thread is stuck in a write.
class Writer {
 public:
  Writer(const AccessLogOptions& options, LogFile file)
      : options_(options), file_(std::move(file)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    for (int i = 0; i < options.workers; ++i) {
      rings_.push_back(std::make_unique<RecordRing>(options.ring_records));
    }
    batch_.reserve(kBatchBytes + 4096);
  }

  bool valid() const { return static_cast<bool>(wake_); }

  bool Append(int worker, const SessionRecord& record) {
    if (!rings_[static_cast<size_t>(worker)]->Push(record)) return false;
    if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false)) Wake();
    return true;
  }

  void Replace(LogFile file) {
    {
      std::lock_guard lock(mutex_);
      replacement_ = std::move(file);
    }
    replaced_.store(true);
    Wake();
  }

  // False when the thread was still stuck after the deadline.
  bool Stop(int64_t patience_ms) {
    stop_at_ms_.store(Clock::Real().NowMs() + patience_ms);
    Wake();
    std::unique_lock lock(mutex_);
    const std::chrono::milliseconds patience(patience_ms + kGraceMs);
    const bool ended = ended_.wait_for(lock, patience, [this] { return has_ended_; });
    options_.events = nullptr;
    return ended;
  }

  uint64_t lost() const {
    if (stop_at_ms_.load() == kNotStopping) return failed_.load();
    uint64_t pushed = 0;
    for (const auto& ring : rings_) pushed += ring->pushed();
    return pushed - written_.load();
  }

  AccessLog::Mark Now() const {
    AccessLog::Mark mark;
    for (const auto& ring : rings_) mark.push_back(ring->pushed());
    return mark;
  }

  bool HasPassed(const AccessLog::Mark& mark) const {
    for (size_t i = 0; i < rings_.size(); ++i) {
      if (rings_[i]->popped() < mark[i]) return false;
    }
    return true;
  }

  // The thread.
  void Run() {
    while (!PastDeadline()) {
      UseReplacement();
      FillBatch();
      if (batch_.size() > 1) {
        WriteBatch();
      } else if (stop_at_ms_.load() != kNotStopping) {
        break;
      } else {
        Sleep();
      }
    }
    std::lock_guard lock(mutex_);
    has_ended_ = true;
    ended_.notify_all();
  }

 private:
  void Wake() const { eventfd_write(wake_.get(), 1); }

  bool PastDeadline() const {
    const int64_t stop_at_ms = stop_at_ms_.load();
    return stop_at_ms != kNotStopping && Clock::Real().NowMs() >= stop_at_ms;
  }

  bool HasWork() const {
    return replaced_.load() || stop_at_ms_.load() != kNotStopping ||
           std::any_of(rings_.begin(), rings_.end(),
                       [](const auto& ring) { return ring->Front() != nullptr; });
  }

  void Sleep() {
    asleep_.store(true, std::memory_order_seq_cst);
    if (!HasWork()) WaitForWake(-1, -1);
    asleep_.store(false);
  }

  // Waits for Wake(), or until `fd` can be written to.
  void WaitForWake(int fd, int timeout_ms) {
    pollfd events[2] = {{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                        {.fd = fd, .events = POLLOUT, .revents = 0}};
    poll(events, 2, timeout_ms);
    eventfd_t ignored;
    eventfd_read(wake_.get(), &ignored);
  }

  bool UseReplacement() {
    if (!replaced_.exchange(false)) return false;
    std::lock_guard lock(mutex_);
    if (!replacement_.has_value()) return false;
    file_ = std::move(*replacement_);
    replacement_.reset();
    torn_ = false;
    return true;
  }

  // Takes turns in where it begins, so that no ring is served only when the others are empty.
  void FillBatch() {
    batch_ = "\n";
    first_ring_ = (first_ring_ + 1) % rings_.size();
    for (size_t i = 0; i < rings_.size(); ++i) {
      RecordRing& ring = *rings_[(first_ring_ + i) % rings_.size()];
      while (batch_.size() < kBatchBytes) {
        const SessionRecord* record = ring.Front();
        if (record == nullptr) break;
        AppendRecord(*record, options_.format, &batch_);
        batch_.push_back('\n');
        ring.Pop();
      }
    }
  }

  void WriteBatch() {
    const size_t done = WriteFrom(torn_ ? 0 : 1);
    const auto lines_from = [this](size_t position) {
      return static_cast<uint64_t>(
          std::count(batch_.begin() + static_cast<ptrdiff_t>(position), batch_.end(), '\n'));
    };
    const uint64_t failed = lines_from(std::max<size_t>(done, 1));
    written_ += lines_from(1) - failed;
    failed_ += failed;
    if (done > 0) torn_ = batch_[done - 1] != '\n';
    if (failed > 0) ReportFailure(failed);
  }

  // Where writing ended; before the end after an error, which is left in error_.
  size_t WriteFrom(size_t position) {
    while (position < batch_.size()) {
      const ssize_t size = file_.Write(std::string_view(batch_).substr(position));
      error_ = size < 0 ? errno : 0;
      if (size >= 0) {
        position += static_cast<size_t>(size);
      } else if (error_ == EAGAIN && !PastDeadline()) {
        // The new file gets the whole of a line that the old one has the first part of.
        if (WaitForReader()) position = position == 0 ? 1 : batch_.rfind('\n', position - 1) + 1;
      } else if (error_ != EINTR) {
        break;
      }
    }
    return position;
  }

  // True when there is another file to write to.
  bool WaitForReader() {
    const int64_t stop_at_ms = stop_at_ms_.load();
    int timeout_ms = -1;
    if (stop_at_ms != kNotStopping) {
      const int64_t left_ms = stop_at_ms - Clock::Real().NowMs();
      timeout_ms = static_cast<int>(std::clamp<int64_t>(left_ms, 0, 1000));
    }
    WaitForWake(file_.fd(), timeout_ms);
    return UseReplacement();
  }

  void ReportFailure(uint64_t lines) {
    std::lock_guard lock(mutex_);
    if (options_.events == nullptr) return;
    const std::string cause = error_ == EAGAIN ? "its reader is stuck" : ErrnoText(error_);
    options_.events->Post(Event::access_log,
                          absl::StrCat("cannot write ", options_.path, ": ", cause, "; ", lines,
                                       lines == 1 ? " line lost" : " lines lost"));
  }

  AccessLogOptions options_;  // `events` is guarded by mutex_.
  std::vector<std::unique_ptr<RecordRing>> rings_;
  std::atomic<bool> asleep_{false};  // The thread waits for wake_, or is about to.
  std::atomic<bool> replaced_{false};
  std::atomic<int64_t> stop_at_ms_{kNotStopping};
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> failed_{0};

  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::optional<LogFile> replacement_;

  // The thread's own.
  LogFile file_;
  UniqueFd wake_;
  std::string batch_;  // Lines, and a newline before them that ends a torn one.
  size_t first_ring_ = 0;
  bool torn_ = false;  // The file ends in the middle of a line.
  int error_ = 0;
};

class ThreadedAccessLog : public AccessLog {
 public:
  ThreadedAccessLog(const AccessLogOptions& options, std::shared_ptr<Writer> writer)
      : path_(options.path),
        writer_(std::move(writer)),
        thread_(StartLogThread("access_log", [writer = writer_] { writer->Run(); })) {}
  ~ThreadedAccessLog() override { Stop(kDestructorPatienceMs); }

  bool Append(int worker, const SessionRecord& record) override {
    return writer_->Append(worker, record);
  }

  absl::Status Reopen() override {
    if (path_ == "-") return absl::OkStatus();
    absl::StatusOr<LogFile> file = LogFile::Open(path_);
    if (!file.ok()) return file.status();
    writer_->Replace(*std::move(file));
    return absl::OkStatus();
  }

  uint64_t Stop(int64_t patience_ms) override {
    if (thread_.joinable()) {
      if (writer_->Stop(patience_ms)) {
        thread_.join();
      } else {
        thread_.detach();
      }
    }
    return writer_->lost();
  }

  uint64_t lost() const override { return writer_->lost(); }
  Mark Now() const override { return writer_->Now(); }
  bool HasPassed(const Mark& mark) const override { return writer_->HasPassed(mark); }

 private:
  const std::string path_;
  const std::shared_ptr<Writer> writer_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<AccessLog>> OpenAccessLog(const AccessLogOptions& options) {
  CHECK_GT(options.workers, 0);
  absl::StatusOr<LogFile> file = LogFile::Open(options.path);
  if (!file.ok()) return file.status();
  auto writer = std::make_shared<Writer>(options, *std::move(file));
  if (!writer->valid()) {
    return absl::ErrnoToStatus(errno, "cannot make an eventfd for the access log");
  }
  return std::make_unique<ThreadedAccessLog>(options, std::move(writer));
}

}  // namespace l4lb
