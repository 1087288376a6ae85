// SPDX-License-Identifier: Apache-2.0
//
// A client or a backend of the session fuzzer: drawn at random, it sends, reads and ends in virtual
// time, and keeps a ledger of what it did and saw for the checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/fake_network.h"
#include "tests/support/memory_peer.h"

namespace l4lb {

/// Byte number `index` of what peer number `id` sends.
char StreamByte(uint64_t id, size_t index);

enum class PeerRole : uint8_t { kClient, kBackend };

/// What one far end did and saw.
struct PeerLedger {
  PeerRole role = PeerRole::kClient;
  uint64_t id = 0;
  std::string address;
  std::string remote_address;  // That of our end.
  size_t sent = 0;             // Handed to its kernel.
  std::string got;
  Peer::End end = Peer::End::kOpen;  // What came behind `got`.
  bool finished = false;             // Sent its FIN, and nothing was thrown away.
  bool reset = false;                // Sent an RST, or closed with input unread.
  bool left_early = false;           // Closed before it saw the end.
  bool prompt = false;               // Reads all that is there every few ms.
  bool vanished = false;             // Its machine is gone.
};

/// How a peer behaves.
struct PeerCharacter {
  PeerRole role = PeerRole::kClient;
  enum class Ending : uint8_t {
    kFinish,  // FIN behind its data, then reads to the end.
    kClose,   // close() behind its data.
    kReset,   // RST behind its data.
    kVanish,  // Nothing of it arrives any more.
    kWait,    // Never ends of itself.
  };

  size_t bytes = 0;
  size_t largest_chunk = 1;
  int64_t longest_gap_ms = 1;
  double reads = 1;  // Chance per step.
  size_t largest_read = SIZE_MAX;
  int64_t pause_ms = 0;            // Reads nothing before.
  bool answers = false;            // Sends only once the other side has finished.
  bool finishes_when_told = true;  // At the other side's end it ends too, whatever it has left.
  Ending ending = Ending::kFinish;
  int64_t patience_ms = 10'000;  // Then it closes.
};

PeerCharacter DrawCharacter(Dice& dice, PeerRole role, bool calm);

class ScriptedPeer {
 public:
  ScriptedPeer(FakeNetwork& network, std::unique_ptr<MemoryPeer> peer, uint64_t id,
               const PeerCharacter& character);

  bool gone() const { return peer_ == nullptr; }
  const PeerLedger& ledger() const { return ledger_; }

 private:
  void StepLater();
  void Step();
  void Read(size_t limit);
  void SendSome();
  void EndOfData();
  void Leave();

  FakeNetwork& network_;
  std::unique_ptr<MemoryPeer> peer_;
  const PeerCharacter character_;
  const int64_t reads_at_ms_;
  const int64_t leaves_at_ms_;
  bool ended_ = false;  // Has done what its ending says.
  PeerLedger ledger_;
};

}  // namespace l4lb
