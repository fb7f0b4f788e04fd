// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the readers of io/InputData.h for one folder.

#include "check/GoldenCase.h"
#include "io/InputData.h"
#include "llvm/Support/Path.h"

namespace convoy::check {

llvm::Expected<CheckCase> readGoldenCase(llvm::StringRef folder, const Model &model) {
  llvm::Expected<io::NamedData> inputs = io::readGoldenInputs(folder, model);
  llvm::Expected<std::vector<Datum>> outputs = io::readGoldenOutputs(folder, model);
  if (!inputs || !outputs) {
    return llvm::joinErrors(inputs.takeError(), outputs.takeError());
  }
  return CheckCase{llvm::sys::path::filename(folder).str(), std::move(*inputs),
                   std::move(*outputs)};
}

} // namespace convoy::check
