// SPDX-License-Identifier: Apache-2.0
#include "tests/proxy/scripted_peer.h"

#include <algorithm>
#include <utility>

namespace l4lb {

char StreamByte(uint64_t id, size_t index) {
  uint64_t x = id * 0x9e3779b97f4a7c15u + index / 8;  // splitmix64 (Steele, Lea, Flood 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<char>((x ^ (x >> 31)) >> (index % 8 * 8));
}

PeerCharacter DrawCharacter(Dice& dice, PeerRole role, bool calm) {
  using Ending = PeerCharacter::Ending;
  PeerCharacter character{.role = role};
  const size_t magnitude = size_t{1} << dice.Below(18);
  character.bytes = dice.Chance(0.1) ? 0 : 1 + dice.Below(magnitude);
  character.largest_chunk = std::max<size_t>(1, character.bytes / (1 + dice.Below(10)));
  character.longest_gap_ms = 1 + static_cast<int64_t>(dice.Below(dice.Chance(0.2) ? 400 : 30));
  // Two that wait for each other would only wait for the idle timeout.
  character.answers = dice.Chance(0.3) && (role == PeerRole::kBackend || !calm);
  if (calm) {
    character.patience_ms = 80'000;
    return character;
  }
  character.reads = dice.Chance(0.3) ? 0.2 : 1;
  if (dice.Chance(0.3)) character.largest_read = 1 + dice.Below(20'000);
  if (dice.Chance(0.3)) character.pause_ms = dice.Between(1, 3'000);
  character.finishes_when_told = dice.Chance(0.7);
  static constexpr Ending kEndings[] = {Ending::kFinish, Ending::kFinish, Ending::kFinish,
                                        Ending::kClose,  Ending::kReset,  Ending::kVanish,
                                        Ending::kWait};
  character.ending = kEndings[dice.Below(std::size(kEndings))];
  character.patience_ms = dice.Between(200, 8'000);
  return character;
}

ScriptedPeer::ScriptedPeer(FakeNetwork& network, std::unique_ptr<MemoryPeer> peer, uint64_t id,
                           const PeerCharacter& character)
    : network_(network),
      peer_(std::move(peer)),
      character_(character),
      reads_at_ms_(network.clock().NowMs() + character.pause_ms),
      leaves_at_ms_(network.clock().NowMs() + character.patience_ms) {
  ledger_.role = character.role;
  ledger_.id = id;
  ledger_.prompt = character.reads >= 1 && character.largest_read == SIZE_MAX &&
                   character.longest_gap_ms <= 30 && character.pause_ms == 0;
  ledger_.address = peer_->address().ToString();
  ledger_.remote_address = peer_->remote_address().ToString();
  StepLater();
}

void ScriptedPeer::StepLater() {
  network_.At(network_.clock().NowMs() + network_.dice().Between(1, character_.longest_gap_ms),
              [this] { Step(); });
}

void ScriptedPeer::Step() {
  Dice& dice = network_.dice();
  const bool paused = network_.clock().NowMs() < reads_at_ms_;
  if (!paused && dice.Chance(character_.reads)) Read(1 + dice.Below(character_.largest_read));
  const bool told = ledger_.end != Peer::End::kOpen;
  if (!ended_ && (told || !character_.answers)) SendSome();
  if (!ended_ && (ledger_.sent == character_.bytes || (told && character_.finishes_when_told))) {
    EndOfData();
  }
  if (gone()) return;
  const bool over = told && (ended_ || ledger_.end == Peer::End::kReset);
  if (over || network_.clock().NowMs() >= leaves_at_ms_) return Leave();
  StepLater();
}

void ScriptedPeer::Read(size_t limit) {
  if (ledger_.vanished) return;
  ledger_.got += peer_->Receive(limit);
  ledger_.end = peer_->end();
}

void ScriptedPeer::SendSome() {
  if (ledger_.end == Peer::End::kReset) return;
  const size_t left = character_.bytes - ledger_.sent;
  const size_t size = std::min<size_t>(left, 1 + network_.dice().Below(character_.largest_chunk));
  std::string chunk;
  for (size_t i = 0; i < size; ++i) chunk += StreamByte(ledger_.id, ledger_.sent + i);
  ledger_.sent += peer_->Send(chunk);
}

void ScriptedPeer::EndOfData() {
  using Ending = PeerCharacter::Ending;
  if (character_.ending == Ending::kWait && ledger_.end == Peer::End::kOpen) return;
  ended_ = true;
  switch (character_.ending) {
    case Ending::kFinish:
    case Ending::kWait:
      ledger_.finished = true;
      return peer_->Finish();
    case Ending::kClose:
      return Leave();
    case Ending::kReset:
      ledger_.reset = true;
      ledger_.left_early = true;
      std::exchange(peer_, nullptr)->Reset();
      return;
    case Ending::kVanish:
      ledger_.vanished = true;
      peer_->Vanish();
      if (network_.dice().Chance(0.5)) peer_->TimeOut();
      return;
  }
}

void ScriptedPeer::Leave() {
  ledger_.left_early = ledger_.end == Peer::End::kOpen;
  if (peer_->has_unread()) {
    ledger_.reset = true;
  } else {
    ledger_.finished = true;
  }
  std::exchange(peer_, nullptr)->Close();
}

}  // namespace l4lb
