// SPDX-License-Identifier: Apache-2.0
//
// Queues of what is named by number, in order of arrival, without memory of their own: each item
// has a place for the number of the next one.
#pragma once

#include <cstddef>
#include <vector>

namespace l4lb::lab {

constexpr int kNobody = -1;

struct Fifo {
  int first = kNobody;
  int last = kNobody;
  int size = 0;

  bool empty() const { return first == kNobody; }
};

/// Numbers for items that come and go, the lowest memory first; Item has an `int next`, which is
/// free for use while the item is in one queue at most.
template <typename Item>
class Items {
 public:
  Item& operator[](int number) { return items_[static_cast<size_t>(number)]; }

  int Add(const Item& item) {
    const int number = free_.empty() ? Grow() : Pop(&free_);
    (*this)[number] = item;
    return number;
  }
  void Remove(int number) { Push(&free_, number); }
  /// How many there ever were at the same time.
  size_t most() const { return items_.size(); }

  void Append(Fifo* fifo, int number) {
    (*this)[number].next = kNobody;
    if (fifo->empty()) {
      fifo->first = number;
    } else {
      (*this)[fifo->last].next = number;
    }
    fifo->last = number;
    ++fifo->size;
  }
  /// The queue must not be empty.
  int Pop(Fifo* fifo) {
    const int number = fifo->first;
    fifo->first = (*this)[number].next;
    --fifo->size;
    return number;
  }

 private:
  int Grow() {
    items_.emplace_back();
    return static_cast<int>(items_.size()) - 1;
  }
  // The one used last comes back first: it is still in the cache.
  void Push(Fifo* fifo, int number) {
    (*this)[number].next = fifo->first;
    fifo->first = number;
    ++fifo->size;
  }

  std::vector<Item> items_;
  Fifo free_;
};

}  // namespace l4lb::lab
