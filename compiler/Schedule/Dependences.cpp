// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds dependences between works in one pass in program order over the bytes of each argument.
// Bytes are kept as segments with their last writer and the readers since then:
//
//     [0, 64) written by 3, read by 5 and 6      [64, 192) written by 4
//
// A read depends on the writer. A write depends on the readers, which depend on the previous
// writer, or on the previous writer if there are no readers. Works on different sides of a branch
// do not depend on each other. A write inside a branch does not replace earlier accesses outside of
// it, because an inference may not execute the write.

#include "Schedule/MacroTasks.h"
#include "Schedule/Schedule.h"
#include "llvm/ADT/SmallSet.h"
#include <map>
#include <optional>

using namespace mlir;

namespace convoy::schedule {
namespace {

using Needs = llvm::SmallSet<unsigned, 8>;

struct Segment {
  int64_t end = 0;
  SmallVector<unsigned, 1> writers;
  SmallVector<unsigned> readers;
};

/// The segments of one argument by their first byte.
class Bytes {
public:
  /// Adds the works that an access of `work` depends on to `needs`.
  void access(const Access &access, unsigned work, ArrayRef<BranchSides> sides, Needs &needs) {
    cut(access);
    auto first = segments.find(access.begin);
    auto last = segments.lower_bound(access.end);
    bool isReplaced = true;
    for (auto it = first; it != last; ++it) {
      Segment &segment = it->second;
      addNeeds(segment, access.isWrite, work, sides, needs);
      if (access.isWrite) {
        auto isOver = [&](unsigned other) { return isImplied(sides[work], sides[other]); };
        llvm::erase_if(segment.writers, isOver);
        llvm::erase_if(segment.readers, isOver);
        isReplaced = isReplaced && segment.writers.empty() && segment.readers.empty();
        segment.writers.push_back(work);
      } else if (segment.readers.empty() || segment.readers.back() != work) {
        segment.readers.push_back(work);
      }
    }
    if (access.isWrite && isReplaced) {
      segments.erase(first, last);
      segments[access.begin] = {access.end, {work}, {}};
    }
  }

  /// Returns whether a work after `since` writes some of the bytes.
  bool isOverwritten(const Access &access, unsigned since) {
    cut(access);
    auto last = segments.lower_bound(access.end);
    return std::any_of(segments.find(access.begin), last, [&](const auto &entry) {
      return llvm::any_of(entry.second.writers, [&](unsigned writer) { return writer > since; });
    });
  }

private:
  static void addNeeds(const Segment &segment, bool isWrite, unsigned work,
                       ArrayRef<BranchSides> sides, Needs &needs) {
    auto isWithUs = [&](unsigned other) { return !areExclusive(sides[other], sides[work]); };
    for (unsigned writer : segment.writers) {
      // A reader that is always executed together with this work awaits the writer.
      bool isAwaited = isWrite && llvm::any_of(segment.readers, [&](unsigned reader) {
                         return reader > writer && reader != work &&
                                isImplied(sides[reader], sides[work]) &&
                                !areExclusive(sides[reader], sides[writer]);
                       });
      if (isWithUs(writer) && !isAwaited) {
        needs.insert(writer);
      }
    }
    for (unsigned reader : segment.readers) {
      if (isWrite && isWithUs(reader)) {
        needs.insert(reader);
      }
    }
  }

  /// Makes segments that begin and end where the access does and have no gaps between.
  void cut(const Access &access) {
    splitAt(access.begin);
    splitAt(access.end);
    fillGaps(access.begin, access.end);
  }

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
      segments[at] = {until, {}, {}};
      at = until;
    }
  }

  std::map<int64_t, Segment> segments;
};

class DependenceFinder {
public:
  explicit DependenceFinder(std::vector<Work> &works) : works(works) {
    for (const Work &work : works) {
      sides.push_back(sidesOf(work));
    }
  }

  void run() {
    std::optional<unsigned> pinned; // the last pinned work
    for (unsigned i = 0; i < works.size(); ++i) {
      Needs needs;
      if (works[i].isPinned && pinned) {
        needs.insert(*pinned);
      }
      pinned = works[i].isPinned ? i : pinned;
      for (const Access &access : works[i].accesses) {
        arguments[access.argument].access(access, i, sides, needs);
      }
      findOptional(i, needs);
      needs.erase(i);
      works[i].needs.assign(needs.begin(), needs.end());
      llvm::sort(works[i].needs);
    }
  }

private:
  /// Finds the needs whose conditions the work can evaluate; it then reads their bytes, which may
  /// add needs.
  void findOptional(unsigned position, Needs &needs) {
    Work &work = works[position];
    work.optional.clear();
    Needs seen;
    for (bool hasMore = true; hasMore;) {
      hasMore = false;
      SmallVector<unsigned> now(needs.begin(), needs.end());
      llvm::sort(now);
      for (unsigned need : now) {
        if (need != position && seen.insert(need).second) {
          hasMore = true;
          addOptional(position, need, needs);
        }
      }
    }
    llvm::sort(work.optional);
  }

  void addOptional(unsigned position, unsigned need, Needs &needs) {
    SmallVector<Guard, 1> guards = guardsBeyond(works[need], works[position]);
    bool canEvaluate = llvm::all_of(guards, [&](const Guard &guard) {
      return llvm::none_of(guard.reads, [&](const Access &read) {
        return arguments[read.argument].isOverwritten(read, need);
      });
    });
    if (guards.empty() || !canEvaluate) {
      return;
    }
    for (const Guard &guard : guards) {
      for (const Access &read : guard.reads) {
        arguments[read.argument].access(read, position, sides, needs);
      }
    }
    works[position].optional.push_back(need);
  }

  std::vector<Work> &works;
  std::vector<BranchSides> sides; // by work
  std::map<unsigned, Bytes> arguments;
};

} // namespace

SmallVector<Guard, 1> guardsBeyond(const Work &work, const Work &given) {
  SmallVector<Guard, 1> guards;
  llvm::copy_if(work.guards, std::back_inserter(guards),
                [&](const Guard &guard) { return !llvm::is_contained(given.guards, guard); });
  return guards;
}

void findDependences(std::vector<Work> &works) { DependenceFinder(works).run(); }

} // namespace convoy::schedule
