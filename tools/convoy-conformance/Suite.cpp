// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Supports two layouts: NAME/model.onnx with NAME/test_data_set_N/{input,output}_K.pb, and,
// for light models, NAME.onnx with NAME_output_K.pb.

#include "Suite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace convoy::conformance {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string join(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<256> result(folder);
  path::append(result, name);
  return std::string(result);
}

/// Returns the sorted entries of a folder, so that runs and reports do not depend on the file
/// system.
std::vector<std::string> entries(llvm::StringRef folder) {
  std::vector<std::string> result;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    result.push_back(it->path());
  }
  llvm::sort(result);
  return result;
}

/// Returns prefix0.pb, prefix1.pb, ... as far as the files exist.
std::vector<std::string> numbered(const std::string &prefix) {
  std::vector<std::string> result;
  for (int i = 0; fs::exists(prefix + std::to_string(i) + ".pb"); ++i) {
    result.push_back(prefix + std::to_string(i) + ".pb");
  }
  return result;
}

void addFolderTest(llvm::StringRef folder, llvm::StringRef group, std::vector<TestCase> &tests) {
  std::string model = join(folder, "model.onnx");
  if (!fs::exists(model)) {
    return;
  }
  TestCase test;
  test.group = group.str();
  test.name = path::filename(folder).str();
  test.model = model;
  for (int i = 0;; ++i) {
    std::string set = join(folder, "test_data_set_" + llvm::Twine(i));
    if (!fs::exists(set)) {
      break;
    }
    test.dataSets.push_back({numbered(join(set, "input_")), numbered(join(set, "output_"))});
  }
  tests.push_back(std::move(test));
}

void addFileTest(llvm::StringRef model, llvm::StringRef group, std::vector<TestCase> &tests) {
  std::string stem = model.drop_back(llvm::StringRef(".onnx").size()).str();
  std::vector<std::string> outputs = numbered(stem + "_output_");
  if (!outputs.empty()) {
    TestCase &test = tests.emplace_back();
    test.group = group.str();
    test.name = path::filename(stem).str();
    test.model = model.str();
    test.dataSets.push_back({/*inputs=*/{}, std::move(outputs)});
  }
}

void addTestsIn(llvm::StringRef folder, std::vector<TestCase> &tests) {
  llvm::StringRef group = path::filename(folder);
  for (const std::string &entry : entries(folder)) {
    if (fs::is_directory(entry)) {
      addFolderTest(entry, group, tests);
    } else if (llvm::StringRef(entry).ends_with(".onnx")) {
      addFileTest(entry, group, tests);
    }
  }
}

} // namespace

llvm::Expected<std::vector<TestCase>> findTests(llvm::StringRef folder) {
  llvm::SmallString<256> clean(folder);
  path::remove_dots(clean, /*remove_dot_dot=*/true);
  while (clean.size() > 1 && path::is_separator(clean.back())) {
    clean.pop_back();
  }
  std::vector<TestCase> tests;
  addTestsIn(clean, tests);
  if (tests.empty()) {
    for (const std::string &entry : entries(clean)) {
      if (fs::is_directory(entry)) {
        addTestsIn(entry, tests);
      }
    }
  }
  if (tests.empty()) {
    return llvm::createStringError(
        std::make_error_code(std::errc::no_such_file_or_directory),
        "no tests in '" + folder +
            "': expected folders with model.onnx and test_data_set_0, or a folder of such folders");
  }
  return tests;
}

} // namespace convoy::conformance
