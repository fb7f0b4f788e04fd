// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the readers of the messages of the tuning service's queues. An accepted
// message must be the same when it is written and read again.

#include "service/queue/Messages.h"
#include "tests/fuzz/Target.h"

using namespace convoy;
using namespace convoy::service;

template <typename Read, typename Write>
static void check(llvm::StringRef text, Read read, Write write) {
  auto message = read(text);
  if (!fuzz::isAccepted(message)) {
    return;
  }
  std::string written = write(*message);
  auto again = read(written);
  if (!again) {
    fuzz::reportFinding("the writer's message is refused: " + llvm::toString(again.takeError()) +
                        "\n" + written);
  }
  fuzz::expectEqual(written, write(*again), "a message");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text = fuzz::textOf(data, size);
  auto write = [](const auto &message) { return toText(message); };
  check(text, workFromText, write);
  check(text, resultFromText, write);
  check(text, startedFromText, write);
  check(text, bestFromText, bestToText);
  return 0;
}
