// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy inspect` of a loadable: files and flags; Accelerators/NVDLA/Inspect does the rest.

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "DiagnosticLog.h"
#include "Options.h"
#include "Verbs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace convoy::driver {
namespace {

llvm::Expected<const nvdla::HardwareConfig *> findConfig(const std::string &name) {
  const nvdla::HardwareConfig *config = nvdla::findHardwareConfig(name);
  if (config || name.empty()) {
    return config;
  }
  auto names = llvm::map_range(nvdla::hardwareConfigs(),
                               [](const nvdla::HardwareConfig &known) { return known.name.str(); });
  return llvm::createStringError("--config '" + name + "' is none of " + llvm::join(names, ", "));
}

llvm::Expected<nvdla::InspectedLoadable> read(const InspectOptions &options) {
  llvm::Expected<const nvdla::HardwareConfig *> config = findConfig(options.config);
  if (!config) {
    return config.takeError();
  }
  const std::string &path = options.model.path;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  llvm::Expected<nvdla::InspectedLoadable> inspected =
      nvdla::inspectLoadable(llvm::sys::path::filename(path),
                             llvm::ArrayRef(text.bytes_begin(), text.bytes_end()), *config);
  if (!inspected) {
    return llvm::createStringError("'" + path + "': " + llvm::toString(inspected.takeError()));
  }
  return inspected;
}

llvm::Error writeSvg(const std::string &path, const nvdla::InspectedLoadable &inspected) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error) {
    return llvm::createStringError("cannot write '" + path + "': " + error.message());
  }
  nvdla::printDependencySvg(os, inspected);
  return llvm::Error::success();
}

} // namespace

ExitCode inspectLoadable(const InspectOptions &options, Console &console) {
  auto fail = [&](llvm::Error error) {
    console.err << "error: " << llvm::toString(std::move(error)) << "\n";
    return kUserError;
  };
  llvm::Expected<nvdla::InspectedLoadable> inspected = read(options);
  if (!inspected) {
    return fail(inspected.takeError());
  }
  if (options.isJson) {
    console.out << llvm::formatv("{0:2}", nvdla::loadableToJson(*inspected)) << "\n";
  } else {
    nvdla::printLoadable(console.out, *inspected);
  }
  if (!options.svg.empty()) {
    if (llvm::Error error = writeSvg(options.svg, *inspected)) {
      return fail(std::move(error));
    }
  }
  return kDone;
}

} // namespace convoy::driver
