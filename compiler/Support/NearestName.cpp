// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edit distance with a limit that grows with the length of the name.

#include "Support/NearestName.h"

namespace convoy {
namespace {

// A shorter beginning fits too many names.
constexpr size_t kLeastPrefix = 3;

/// Returns the number of edits up to which a name counts as a misspelling. Two adjacent letters in
/// the wrong order are two edits, so names of four letters and more allow two.
unsigned mostEdits(size_t length) { return length <= 3 ? 1 : length <= 9 ? 2 : 3; }

} // namespace

std::string nearestName(llvm::StringRef typed, llvm::ArrayRef<std::string> names) {
  std::string nearest;
  unsigned fewest = mostEdits(typed.size()) + 1;
  for (const std::string &name : names) {
    unsigned edits = llvm::StringRef(name).edit_distance(typed, /*AllowReplacements=*/true, fewest);
    if (edits < fewest) {
      fewest = edits;
      nearest = name;
    }
  }
  for (const std::string &name : names) {
    bool isBeginning = typed.size() >= kLeastPrefix && llvm::StringRef(name).starts_with(typed);
    if (nearest.empty() && isBeginning) {
      nearest = name;
    }
  }
  return nearest;
}

} // namespace convoy
