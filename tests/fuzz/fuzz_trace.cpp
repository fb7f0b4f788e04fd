// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the readers of NVDLA register traces.

#include "Accelerators/NVDLA/Trace/Trace.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text = fuzz::textOf(data, size);
  auto statements = nvdla::parseStatements(text);
  fuzz::isAccepted(statements);
  auto pieces = nvdla::parsePieces(text);
  fuzz::isAccepted(pieces);
  return 0;
}
