// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes candidates, tests them and counts.

#include "reduce/Trials.h"
#include "Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

namespace convoy::reduce {
namespace {

/// The reproducers that a crashed test writes into the working or the temporary folder.
std::vector<std::string> reproducersOf(llvm::StringRef model) {
  llvm::SmallString<128> temporary;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  std::vector<std::string> paths;
  for (const char *suffix : {".convoy-reproducer.mlir", ".convoy-reproducer.sh"}) {
    std::string name = (llvm::sys::path::stem(model) + suffix).str();
    paths.push_back(name);
    paths.push_back((temporary + "/" + name).str());
  }
  return paths;
}

std::string hashOf(llvm::StringRef bytes, const std::vector<std::string> &flags) {
  llvm::SHA256 hash;
  hash.update(bytes);
  hash.update("\n" + llvm::join(flags, "\n"));
  return llvm::toHex(hash.final());
}

} // namespace

Trials::Trials(FailureTest &test, std::string path, std::map<std::string, std::string> files,
               TrialLimits limits)
    : test(test), path(std::move(path)), files(std::move(files)), limits(std::move(limits)),
      begin(std::chrono::steady_clock::now()) {}

std::vector<std::string> Trials::inputFlags(const onnx::ModelProto &model) const {
  std::vector<std::string> flags;
  for (int i = 0; i < model.graph().input_size(); ++i) {
    const std::string &name = model.graph().input(i).name();
    auto file = files.find(name);
    bool hasFile = usesFiles && file != files.end();
    // Equal data of two inputs would hide exchanged operands.
    flags.push_back("--input=" + name + "=" +
                    (hasFile ? file->second : "random:" + std::to_string(i)));
  }
  return flags;
}

bool Trials::hasFilesFor(const onnx::ModelProto &model) const {
  return usesFiles && llvm::any_of(model.graph().input(), [&](const onnx::ValueInfoProto &input) {
           return files.count(input.name()) > 0;
         });
}

bool Trials::hasBudget() {
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (stopped.empty() && limits.isInterrupted && limits.isInterrupted()) {
    stopped = "Ctrl-C";
  } else if (stopped.empty() && limits.trials > 0 && trials >= limits.trials) {
    stopped = "--trials";
  } else if (stopped.empty() && limits.seconds > 0 && spent.count() > limits.seconds) {
    stopped = "--time";
  }
  return stopped.empty();
}

bool Trials::fails(const onnx::ModelProto &candidate) {
  std::string bytes;
  if (!candidate.SerializeToString(&bytes)) {
    return false;
  }
  std::vector<std::string> flags = inputFlags(candidate);
  std::string key = hashOf(bytes, flags);
  auto result = known.find(key);
  if (result != known.end()) {
    ++cached;
    return result->second;
  }
  if (!hasBudget()) {
    return false;
  }
  if (limits.progress) {
    limits.progress(trials, static_cast<size_t>(candidate.graph().node_size()));
  }
  ++trials;
  return known[key] = run(bytes, flags);
}

bool Trials::run(const std::string &bytes, const std::vector<std::string> &flags) {
  if (llvm::Error error = writeFile(path, bytes)) {
    stopped = "a file that cannot be written";
    testProblem = llvm::toString(std::move(error));
    return false;
  }
  std::vector<std::string> traces = reproducersOf(path);
  llvm::erase_if(traces, [](const std::string &file) { return llvm::sys::fs::exists(file); });
  llvm::Expected<Symptom> symptom = test.test(path, flags);
  for (const std::string &file : traces) {
    (void)llvm::sys::fs::remove(file);
  }
  if (!symptom) {
    stopped = "a test that cannot run";
    testProblem = llvm::toString(symptom.takeError());
    return false;
  }
  spentCpu += symptom->cpuSeconds;
  return test.isSame(*symptom);
}

} // namespace convoy::reduce
