// SPDX-License-Identifier: Apache-2.0
//
// A first-in, first-out queue of ops, linked through Op::next.  An op is in at most one queue.
#pragma once

#include "l4lb/engine/op.h"

namespace l4lb {

class OpQueue {
 public:
  bool empty() const { return head_ == nullptr; }

  void Push(Op& op) {
    op.next = nullptr;
    *tail_ = &op;
    tail_ = &op.next;
  }
  Op& Pop() {
    Op& op = *head_;
    head_ = op.next;
    if (head_ == nullptr) tail_ = &head_;
    op.next = nullptr;
    return op;
  }
  /// O(length).
  void Remove(Op& op) {
    Op** link = &head_;
    while (*link != nullptr && *link != &op) link = &(*link)->next;
    if (*link == nullptr) return;
    *link = op.next;
    if (op.next == nullptr) tail_ = link;
    op.next = nullptr;
  }
  /// Moves all of `other` behind what is here.
  void Append(OpQueue& other) {
    if (other.empty()) return;
    *tail_ = other.head_;
    tail_ = other.tail_;
    other.head_ = nullptr;
    other.tail_ = &other.head_;
  }

  OpQueue() = default;
  OpQueue(const OpQueue&) = delete;
  OpQueue& operator=(const OpQueue&) = delete;

 private:
  Op* head_ = nullptr;
  Op** tail_ = &head_;
};

}  // namespace l4lb
