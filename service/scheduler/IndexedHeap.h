// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary heap whose members know their positions, so that the key of any member can change in
// logarithmic time without an allocation. ReadyQueue.h and Scheduler.cpp keep jobs in such heaps.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace convoy::service::scheduler {

/// A member's place in one heap. The owner keeps it at a fixed address.
template <typename Owner>
struct HeapSlot {
  static constexpr size_t kAbsent = static_cast<size_t>(-1);
  Owner *owner = nullptr;
  size_t position = kAbsent;
  bool isQueued() const { return position != kAbsent; }
};

/// The member with the smallest key is the top. Keys need operator<.
template <typename Key, typename Owner>
class IndexedHeap {
public:
  using Slot = HeapSlot<Owner>;

  bool empty() const { return entries.empty(); }
  size_t size() const { return entries.size(); }
  Owner &top() const { return *entries.front().slot->owner; }
  const Key &topKey() const { return entries.front().key; }

  /// Adds the member or changes its key.
  void set(Slot &slot, Key key) {
    if (!slot.isQueued()) {
      slot.position = entries.size();
      entries.push_back({std::move(key), &slot});
    } else {
      entries[slot.position].key = std::move(key);
    }
    settle(slot.position);
  }

  void remove(Slot &slot) {
    if (!slot.isQueued()) {
      return;
    }
    size_t position = slot.position;
    slot.position = Slot::kAbsent;
    Entry last = std::move(entries.back());
    entries.pop_back();
    if (position < entries.size()) {
      place(position, std::move(last));
      settle(position);
    }
  }

private:
  struct Entry {
    Key key;
    Slot *slot;
  };

  void place(size_t position, Entry entry) {
    entry.slot->position = position;
    entries[position] = std::move(entry);
  }

  /// Moves the entry at `position` up or down until the order holds.
  void settle(size_t position) {
    Entry entry = std::move(entries[position]);
    while (position > 0 && entry.key < entries[(position - 1) / 2].key) {
      place(position, std::move(entries[(position - 1) / 2]));
      position = (position - 1) / 2;
    }
    while (2 * position + 1 < entries.size()) {
      size_t child = 2 * position + 1;
      child += child + 1 < entries.size() && entries[child + 1].key < entries[child].key;
      if (!(entries[child].key < entry.key)) {
        break;
      }
      place(position, std::move(entries[child]));
      position = child;
    }
    place(position, std::move(entry));
  }

  std::vector<Entry> entries;
};

} // namespace convoy::service::scheduler
