// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the list of kernels and averages the times of kernels with the same name.

#include "io/KernelTimes.h"
#include "Support/InputFile.h"
#include "Support/Json.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::io {
namespace {

llvm::Error problem(llvm::StringRef path, const llvm::Twine &text) {
  return llvm::createStringError("kernel times '" + path + "': " + text +
                                 "; `convoy bench MODEL --layers --json=FILE` writes them");
}

} // namespace

llvm::Expected<std::map<std::string, double>> readKernelTimes(llvm::StringRef path) {
  if (isDevice(path)) {
    return problem(path, "cannot be read: it is a device; expected a file");
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    return problem(path, "cannot be read: " + file.getError().message());
  }
  llvm::Expected<llvm::json::Value> json = parseJson((*file)->getBuffer());
  if (!json) {
    return problem(path, llvm::toString(json.takeError()));
  }
  std::map<std::string, std::pair<double, int>> sums;
  const llvm::json::Array *rows = json->getAsArray();
  if (!rows) {
    return problem(path, "expected a list of kernels");
  }
  for (const llvm::json::Value &row : *rows) {
    const llvm::json::Object *object = row.getAsObject();
    std::optional<llvm::StringRef> kernel = object ? object->getString("kernel") : std::nullopt;
    std::optional<double> ms = object ? object->getNumber("ms") : std::nullopt;
    if (!kernel || !ms || *ms < 0) {
      return problem(path, "expected each entry to have a \"kernel\" and its \"ms\"");
    }
    auto &[sum, count] = sums[kernel->str()];
    sum += *ms * 1e6;
    ++count;
  }
  std::map<std::string, double> times;
  for (const auto &[kernel, sum] : sums) {
    times[kernel] = sum.first / sum.second;
  }
  return times;
}

} // namespace convoy::io
