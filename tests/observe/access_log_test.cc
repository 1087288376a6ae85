// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/access_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "l4lb/net/unique_fd.h"
#include "tests/observe/sample_record.h"
#include "tests/observe/temporary_folder.h"

namespace l4lb {
namespace {

constexpr int64_t kPatienceMs = 15'000;

class RecordedEvents : public EventLog {
 public:
  void Post(Event event, std::string_view text) override {
    std::lock_guard lock(mutex_);
    EXPECT_EQ(event, Event::access_log);
    texts_.emplace_back(text);
  }
  uint64_t suppressed() const override { return 0; }
  std::vector<std::string> texts() {
    std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

std::unique_ptr<AccessLog> MustOpen(const AccessLogOptions& options) {
  absl::StatusOr<std::unique_ptr<AccessLog>> log = OpenAccessLog(options);
  EXPECT_TRUE(log.ok()) << log.status();
  return *std::move(log);
}

// Waits for something that another thread does.
template <typename Condition>
bool Eventually(Condition condition) {
  for (int64_t waited_ms = 0; waited_ms < kPatienceMs; waited_ms += 5) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// The ids of the lines, in their order.  Every line must be JSON.
std::vector<uint64_t> Ids(const std::vector<std::string>& lines) {
  std::vector<uint64_t> ids;
  for (const std::string& line : lines) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << line;
    if (json.is_object()) ids.push_back(json.at("id"));
  }
  return ids;
}

// A FIFO with a reader that reads only when told to.
class Fifo {
 public:
  explicit Fifo(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    reader_.Reset(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }
  void Drain() {
    char buffer[65536];
    for (ssize_t size; (size = read(reader_.get(), buffer, sizeof(buffer))) > 0;) {
      text_.append(buffer, static_cast<size_t>(size));
    }
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    std::istringstream stream(text_);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  void StopReading() { reader_.Reset(); }
  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }

 private:
  const std::string path_;
  UniqueFd reader_;
  std::string text_;
};

TEST(AccessLogTest, WritesEveryRecordOfAWorkerInOrder) {
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  auto log = MustOpen({.path = path, .ring_records = 1 << 15});
  std::vector<uint64_t> expected;
  for (uint64_t id = 0; id < 3'000; ++id) {
    ASSERT_TRUE(log->Append(0, SampleRecord(id)));
    expected.push_back(id);
  }
  EXPECT_EQ(log->Stop(kPatienceMs), 0u);
  EXPECT_EQ(Ids(Lines(path)), expected);
}

TEST(AccessLogTest, SleepingWriterIsWoken) {
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  auto log = MustOpen({.path = path, .format = AccessLogFormat::kText});
  for (size_t lines = 1; lines <= 20; ++lines) {
    ASSERT_TRUE(log->Append(0, SampleRecord()));
    ASSERT_TRUE(Eventually([&] { return Lines(path).size() == lines; }));
  }
  EXPECT_EQ(Lines(path)[0].substr(0, 30), "time=2024-02-29T23:59:58.007Z ");
}

TEST(AccessLogTest, ManyWorkersAddUp) {
  constexpr int kWorkers = 3;
  constexpr uint64_t kRecords = 1'000;
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  auto log = MustOpen({.path = path, .workers = kWorkers, .ring_records = 256});
  std::vector<std::thread> workers;
  std::array<uint64_t, kWorkers> dropped = {};
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([&, worker] {
      for (uint64_t i = 0; i < kRecords; ++i) {
        const uint64_t id = static_cast<uint64_t>(worker) * kRecords + i;
        if (!log->Append(worker, SampleRecord(id))) ++dropped[static_cast<size_t>(worker)];
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(log->Stop(kPatienceMs), 0u);
  std::map<uint64_t, uint64_t> last;
  const std::vector<uint64_t> ids = Ids(Lines(path));
  for (uint64_t id : ids) {
    const auto [it, first] = last.try_emplace(id / kRecords, id);
    EXPECT_TRUE(first || it->second < id) << "order within a worker";
    it->second = id;
  }
  EXPECT_EQ(ids.size() + dropped[0] + dropped[1] + dropped[2], kWorkers * kRecords);
}

TEST(AccessLogTest, StoppedReaderDropsAndCountsAndLosesNothingElse) {
  const TemporaryFolder folder;
  Fifo fifo(folder.File("fifo"));
  auto log = MustOpen({.path = fifo.path(), .ring_records = 128});
  std::vector<uint64_t> taken;
  uint64_t dropped = 0;
  for (uint64_t id = 0; dropped < 100; ++id) {
    if (log->Append(0, SampleRecord(id))) {
      taken.push_back(id);
    } else {
      ++dropped;
    }
  }
  EXPECT_GE(taken.size(), 128u);
  ASSERT_TRUE(Eventually([&] {
    fifo.Drain();
    return fifo.Lines().size() == taken.size() && fifo.text().back() == '\n';
  }));
  EXPECT_EQ(log->Stop(kPatienceMs), 0u);
  EXPECT_EQ(Ids(fifo.Lines()), taken);
}

TEST(AccessLogTest, StopReturnsThoughTheReaderNeverReads) {
  const TemporaryFolder folder;
  Fifo fifo(folder.File("fifo"));
  RecordedEvents events;
  auto log = MustOpen({.path = fifo.path(), .events = &events});
  uint64_t taken = 0;
  for (uint64_t id = 0; id < 2'000; ++id) taken += log->Append(0, SampleRecord(id)) ? 1 : 0;
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t lost = log->Stop(200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(kPatienceMs));
  EXPECT_GT(lost, 0u);
  fifo.Drain();
  const std::string text = fifo.text();
  const auto whole = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(whole + lost, taken);
  EXPECT_EQ(log->Stop(200), lost) << "stopping twice";
}

TEST(AccessLogTest, FullDiskIsCountedAndReported) {
  RecordedEvents events;
  auto log = MustOpen({.path = "/dev/full", .events = &events});
  for (uint64_t id = 0; id < 100; ++id) ASSERT_TRUE(log->Append(0, SampleRecord(id)));
  ASSERT_TRUE(Eventually([&] { return log->lost() == 100; }));
  EXPECT_EQ(log->Stop(kPatienceMs), 100u);
  ASSERT_FALSE(events.texts().empty());
  EXPECT_EQ(events.texts()[0].substr(0, 49), "cannot write /dev/full: no space left on device; ");
}

TEST(AccessLogTest, ReaderThatWentAwayIsNotASignal) {
  const TemporaryFolder folder;
  Fifo fifo(folder.File("fifo"));
  RecordedEvents events;
  auto log = MustOpen({.path = fifo.path(), .events = &events});
  fifo.StopReading();
  ASSERT_TRUE(log->Append(0, SampleRecord()));
  EXPECT_EQ(log->Stop(kPatienceMs), 1u);
  EXPECT_EQ(events.texts(),
            std::vector<std::string>{"cannot write " + fifo.path() + ": broken pipe; 1 line lost"});
}

TEST(AccessLogTest, ReopenGoesOnInANewFile) {
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  auto log = MustOpen({.path = path});
  ASSERT_TRUE(log->Append(0, SampleRecord(1)));
  ASSERT_TRUE(Eventually([&] { return Lines(path).size() == 1; }));
  std::filesystem::rename(path, folder.File("log.1"));
  ASSERT_TRUE(log->Reopen().ok());
  ASSERT_TRUE(log->Append(0, SampleRecord(2)));
  EXPECT_EQ(log->Stop(kPatienceMs), 0u);
  EXPECT_EQ(Ids(Lines(folder.File("log.1"))), std::vector<uint64_t>{1});
  EXPECT_EQ(Ids(Lines(path)), std::vector<uint64_t>{2});
}

TEST(AccessLogTest, FailedReopenKeepsTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  auto log = MustOpen({.path = path});
  std::filesystem::rename(path, folder.File("log.1"));
  std::filesystem::create_directory(path);
  EXPECT_EQ(std::string(log->Reopen().message()),
            "cannot open access log " + path + ": is a directory");
  ASSERT_TRUE(log->Append(0, SampleRecord(3)));
  EXPECT_EQ(log->Stop(kPatienceMs), 0u);
  EXPECT_EQ(Ids(Lines(folder.File("log.1"))), std::vector<uint64_t>{3});
}

// The old reader is stuck in the middle of a line: the new file begins with that line, whole.
TEST(AccessLogTest, ReopenFreesAStuckWriter) {
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  Fifo fifo(path);
  auto log = MustOpen({.path = path});
  for (uint64_t id = 0; id < 1'000; ++id) ASSERT_TRUE(log->Append(0, SampleRecord(id)));
  pollfd readable = {
      .fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), .events = POLLIN, .revents = 0};
  const UniqueFd look(readable.fd);
  ASSERT_EQ(poll(&readable, 1, static_cast<int>(kPatienceMs)), 1);
  std::filesystem::rename(path, folder.File("fifo"));
  ASSERT_TRUE(log->Reopen().ok());
  EXPECT_EQ(log->Stop(kPatienceMs), 0u);
  fifo.Drain();
  std::vector<std::string> lines = fifo.Lines();
  if (fifo.text().back() != '\n') lines.pop_back();  // Only the beginning of one.
  const std::vector<uint64_t> before = Ids(lines);
  const std::vector<uint64_t> after = Ids(Lines(path));
  ASSERT_EQ(before.size() + after.size(), 1'000u);
  EXPECT_EQ(before.back() + 1, after.front());
}

TEST(AccessLogTest, DestructorWritesWhatWaits) {
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  auto log = MustOpen({.path = path});
  for (uint64_t id = 0; id < 10; ++id) ASSERT_TRUE(log->Append(0, SampleRecord(id)));
  log.reset();
  EXPECT_EQ(Lines(path).size(), 10u);
}

TEST(AccessLogTest, OpenErrorsAreReported) {
  EXPECT_EQ(OpenAccessLog({.path = "/nosuchfolder/log"}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace l4lb
