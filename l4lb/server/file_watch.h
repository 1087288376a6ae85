// SPDX-License-Identifier: Apache-2.0
//
// Notices that a file has become another: written anew, renamed over, or reached through a symbolic
// link that now leads elsewhere (as mounted configuration volumes are swapped).  By looking at it:
// one stat() a look works on every file system, and follows every link of the path.
#pragma once

#include <sys/stat.h>

#include <string>
#include <utility>

namespace l4lb {

class FileWatch {
 public:
  explicit FileWatch(std::string path) : path_(std::move(path)) { known_ = seen_ = Look(); }

  /// True once after each change, as soon as two looks in a row have seen the same: who writes it
  /// may not have finished.  To be called again and again.
  bool Changed() {
    const Seen now = Look();
    const bool settled = now == std::exchange(seen_, now);
    if (!settled || now == known_ || !now.there) return false;
    known_ = now;
    return true;
  }

 private:
  struct Seen {
    bool there = false;
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    int64_t written_ns = 0;

    friend bool operator==(const Seen&, const Seen&) = default;
  };

  Seen Look() const {
    struct stat found {};
    if (::stat(path_.c_str(), &found) != 0) return {};
    return {.there = true,
            .device = found.st_dev,
            .inode = found.st_ino,
            .size = found.st_size,
            .written_ns = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
  }

  const std::string path_;
  Seen known_;  // What was reported last.
  Seen seen_;   // At the last look.
};

}  // namespace l4lb
