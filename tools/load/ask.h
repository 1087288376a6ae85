// SPDX-License-Identifier: Apache-2.0
//
// What a client of ours may say first, when the backend is `l4lb-load serve --mode=ask`: what the
// backend is to do with this connection.  32 bytes; what follows is the stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace l4lb::load {

/// What a backend does with a connection.
enum class Mode : uint8_t {
  kEcho,    ///< Sends back what it reads.
  kSink,    ///< Reads and drops; asked to, it checks and sends a Verdict at the end of the stream.
  kSource,  ///< Sends the pattern as fast as it can.
  kBoth,    ///< Sink and source at once.
  kAnswer,  ///< Reads a request of `size` bytes, answers `size` bytes, and so on.
  kAsk,     ///< What the client's Ask says.
};

/// How a backend ends a connection that has sent `limit` bytes.
enum class Fate : uint8_t { kFinish, kReset };

struct Ask {
  static constexpr size_t kSize = 32;
  using Bytes = std::array<char, kSize>;

  Bytes ToBytes() const;
  /// Nothing when these are not the bytes of an Ask.
  static std::optional<Ask> FromBytes(const Bytes& bytes);

  Mode mode = Mode::kEcho;
  bool verify = false;       ///< kSink, kBoth: check what comes in, and send a Verdict (kSink).
  bool close_first = false;  ///< kAnswer: end the connection after the first answer.
  Fate fate = Fate::kFinish;
  uint32_t size = 0;   ///< kAnswer: of the request (the Ask included) and of the answer.
  uint64_t limit = 0;  ///< kEcho, kSource: after so many bytes sent comes the fate.  0: never.
  uint64_t key = 0;    ///< Of the Pattern, either way.
};

/// The end of a checked upload, as the backend saw it.
struct Verdict {
  static constexpr size_t kSize = 16;
  static constexpr uint64_t kAllRight = UINT64_MAX;
  using Bytes = std::array<char, kSize>;

  Bytes ToBytes() const;
  static Verdict FromBytes(const Bytes& bytes);

  uint64_t received = 0;
  uint64_t first_wrong = kAllRight;  ///< Position of the first wrong byte.
};

}  // namespace l4lb::load
