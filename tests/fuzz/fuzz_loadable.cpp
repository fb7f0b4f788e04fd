// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary bytes to the reader of NVDLA loadables, which `convoy inspect` uses. An accepted
// loadable must be printable, and the writer must write the same lists.

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "tests/fuzz/Target.h"

using namespace convoy;
using namespace convoy::nvdla;

static void inspectAs(llvm::ArrayRef<uint8_t> bytes, const HardwareConfig *config) {
  llvm::Expected<InspectedLoadable> inspected = inspectLoadable("fuzz.nvdla", bytes, config);
  if (fuzz::isAccepted(inspected)) {
    printLoadable(llvm::nulls(), *inspected);
    printDependencySvg(llvm::nulls(), *inspected);
    llvm::nulls() << loadableToJson(*inspected);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::ArrayRef<uint8_t> bytes(data, size);
  llvm::Expected<Loadable> loadable = readLoadable(bytes);
  if (!fuzz::isAccepted(loadable)) {
    return 0;
  }
  std::vector<uint8_t> written = writeLoadable(*loadable);
  llvm::Expected<Loadable> again = readLoadable(written);
  if (!again) {
    fuzz::reportFinding("the writer's loadable is refused: " + llvm::toString(again.takeError()));
  }
  if (writeLoadable(*again) != written) {
    fuzz::reportFinding("a loadable differs when it is read again");
  }
  inspectAs(bytes, findHardwareConfig("nv_small"));
  inspectAs(bytes, nullptr);
  return 0;
}
