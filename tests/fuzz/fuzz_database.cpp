// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens arbitrary bytes as a database of tuning records, lists, exports, merges and prunes it.

#include "tests/fuzz/Target.h"
#include "tuning/records/RecordFiles.h"
#include "llvm/Support/FileSystem.h"

using namespace convoy;
using namespace convoy::tuning;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string path = fuzz::writeInput(fuzz::textOf(data, size), "fuzz.db");
  auto listed = listFiles({path});
  fuzz::isAccepted(listed);
  auto exported = exportFiles({path}, llvm::nulls());
  fuzz::isAccepted(exported);
  std::string into = path + ".into";
  auto merged = mergeFiles({path}, into);
  fuzz::isAccepted(merged);
  PruneRule rule;
  rule.isFailed = true;
  rule.keepFastest = 1;
  auto pruned = pruneFiles({path}, rule);
  fuzz::isAccepted(pruned);
  for (const char *end :
       {".into", ".into-wal", ".into-shm", ".into-journal", "-wal", "-shm", "-journal"}) {
    llvm::sys::fs::remove(path + end);
  }
  return 0;
}
