// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a new process per measurement, so that the measured memory excludes the compiler and a
// crash of the model does not end `convoy`.

#include "timing/MeasureProgram.h"
#include "Support/Json.h"
#include "Support/TemporaryFolder.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <chrono>
#include <csignal>
#include <thread>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace convoy::timing {
namespace {

/// Returns the folder of the running program.
std::string programFolder() {
  return path::parent_path(fs::getMainExecutable(nullptr, nullptr)).str();
}

/// Returns the error text of the process, or its exit code if it wrote none.
std::string reasonOf(int code, const std::string &message, llvm::StringRef errors) {
  auto text = io::readFile(errors);
  if (!text) {
    llvm::consumeError(text.takeError());
  } else if (llvm::StringRef words = (*text)->getBuffer().trim(); !words.empty()) {
    return words.str();
  }
  return message.empty() ? "it ended with code " + std::to_string(code) : message;
}

/// Waits for the end of a process, or ends it as soon as `isInterrupted` returns true.
int waitFor(const llvm::sys::ProcessInfo &process, const std::function<bool()> &isInterrupted,
            std::string &message) {
  constexpr std::chrono::milliseconds kPollInterval(20);
  while (true) {
    llvm::sys::ProcessInfo ended = llvm::sys::Wait(process, /*SecondsToWait=*/0, &message);
    if (ended.Pid != llvm::sys::ProcessInfo::InvalidPid) {
      return ended.ReturnCode;
    }
    if (isInterrupted()) {
      ::kill(process.Pid, SIGTERM);
      llvm::sys::Wait(process, /*SecondsToWait=*/std::nullopt);
      message = "interrupted";
      return 1;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

} // namespace

int MeasureProgram::execute(llvm::ArrayRef<llvm::StringRef> arguments, llvm::StringRef errors,
                            std::string &message) const {
  std::optional<llvm::StringRef> redirects[] = {"", "", errors};
  if (!isInterrupted) {
    return llvm::sys::ExecuteAndWait(program, arguments, /*Env=*/std::nullopt, redirects,
                                     /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  }
  bool hasFailed = false;
  llvm::sys::ProcessInfo process =
      llvm::sys::ExecuteNoWait(program, arguments, /*Env=*/std::nullopt, redirects,
                               /*MemoryLimit=*/0, &message, &hasFailed);
  return hasFailed ? -1 : waitFor(process, isInterrupted, message);
}

llvm::Expected<llvm::json::Object> MeasureProgram::measure(llvm::json::Object specification) const {
  std::string spec = inFolder(folder, "spec.json"), result = inFolder(folder, "result.json"),
              errors = inFolder(folder, "errors.txt");
  std::string text = llvm::formatv("{0}", llvm::json::Value(std::move(specification))).str();
  if (llvm::Error error = io::writeFile(spec, text)) {
    return error;
  }
  std::string message;
  int code = execute({program, spec, result}, errors, message);
  if (code != 0) {
    return llvm::createStringError("measuring failed: " + reasonOf(code, message, errors));
  }
  auto buffer = io::readFile(result);
  if (!buffer) {
    return buffer.takeError();
  }
  llvm::Expected<llvm::json::Value> value = parseJson((*buffer)->getBuffer());
  if (!value) {
    return value.takeError();
  }
  if (!value->getAsObject()) {
    return createBug("convoy-measure wrote no object; this is a bug in convoy");
  }
  return std::move(*value->getAsObject());
}

llvm::Expected<std::string> findMeasureProgram() {
  std::string program = inFolder(programFolder(), "convoy-measure");
  if (!fs::can_execute(program)) {
    return llvm::createStringError(
        "program '" + program +
        "' not found; `convoy bench` and `convoy tune` need it: build the target "
        "convoy-measure, or install Convoy again");
  }
  return program;
}

std::vector<double> numbers(const llvm::json::Object &object, llvm::StringRef key) {
  std::vector<double> result;
  if (const llvm::json::Array *array = object.getArray(key)) {
    for (const llvm::json::Value &value : *array) {
      result.push_back(value.getAsNumber().value_or(0));
    }
  }
  return result;
}

std::string peersFolder() {
  // build/<preset>/bin/convoy
  std::string folder = programFolder();
  return inFolder(path::parent_path(path::parent_path(folder)), "peers");
}

llvm::Expected<std::string> findOnnxRuntime(llvm::StringRef peers) {
  bool isArm = llvm::Triple(llvm::sys::getProcessTriple()).isAArch64();
  std::string versions = inFolder(peers, "node_modules/onnxruntime-node/bin");
  std::error_code error;
  for (fs::directory_iterator it(versions, error), end; !error && it != end; it.increment(error)) {
    std::string library = inFolder(it->path(), isArm ? "linux/arm64/libonnxruntime.so.1"
                                                     : "linux/x64/libonnxruntime.so.1");
    if (fs::exists(library)) {
      return library;
    }
  }
  return llvm::createStringError("--baseline onnxruntime: libonnxruntime.so.1 not found in '" +
                                 peers +
                                 "'; install it with scripts/install-deps.sh --bench, or pass its "
                                 "path with --baseline-library");
}

} // namespace convoy::timing
