// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds dependences between works in one pass in program order over the bytes of each argument.
// Bytes are kept as segments with their last writer and the readers since then:
//
//     [0, 64) written by 3, read by 5 and 6      [64, 192) written by 4
//
// A read depends on the writer. A write depends on the readers, which depend on the previous
// writer, or on the previous writer if there are no readers.

#include "Schedule/Schedule.h"
#include "llvm/ADT/SmallSet.h"
#include <map>
#include <optional>

using namespace mlir;

namespace convoy::schedule {
namespace {

struct Segment {
  int64_t end = 0;
  std::optional<unsigned> writer;
  SmallVector<unsigned> readers;
};

/// The segments of one argument by their first byte.
class Bytes {
public:
  /// Adds the works that an access of `work` depends on to `needs`.
  void access(const Access &access, unsigned work, llvm::SmallSet<unsigned, 8> &needs) {
    splitAt(access.begin);
    splitAt(access.end);
    fillGaps(access.begin, access.end);
    auto first = segments.find(access.begin);
    auto last = segments.lower_bound(access.end);
    for (auto it = first; it != last; ++it) {
      Segment &segment = it->second;
      if (segment.writer && (!access.isWrite || segment.readers.empty())) {
        needs.insert(*segment.writer);
      }
      if (access.isWrite) {
        needs.insert(segment.readers.begin(), segment.readers.end());
      } else if (segment.readers.empty() || segment.readers.back() != work) {
        segment.readers.push_back(work);
      }
    }
    if (access.isWrite) {
      segments.erase(first, last);
      segments[access.begin] = {access.end, work, {}};
    }
  }

private:
  void splitAt(int64_t byte) {
    auto after = segments.upper_bound(byte);
    if (after == segments.begin()) {
      return;
    }
    auto [begin, segment] = *std::prev(after);
    if (begin < byte && byte < segment.end) {
      segments[byte] = segment;
      segments[begin].end = byte;
    }
  }

  void fillGaps(int64_t begin, int64_t end) {
    int64_t at = begin;
    while (at < end) {
      auto next = segments.lower_bound(at);
      if (next != segments.end() && next->first == at) {
        at = next->second.end;
        continue;
      }
      int64_t until = next == segments.end() ? end : std::min(end, next->first);
      segments[at] = {until, std::nullopt, {}};
      at = until;
    }
  }

  std::map<int64_t, Segment> segments;
};

} // namespace

void findDependences(std::vector<Work> &works) {
  std::map<unsigned, Bytes> arguments;
  std::optional<unsigned> pinned; // the last pinned work
  for (auto [i, work] : llvm::enumerate(works)) {
    unsigned position = i;
    llvm::SmallSet<unsigned, 8> needs;
    if (work.isPinned && pinned) {
      needs.insert(*pinned);
    }
    pinned = work.isPinned ? position : pinned;
    for (const Access &access : work.accesses) {
      arguments[access.argument].access(access, position, needs);
    }
    needs.erase(position);
    work.needs.assign(needs.begin(), needs.end());
    llvm::sort(work.needs);
  }
}

} // namespace convoy::schedule
