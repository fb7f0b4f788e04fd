// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs `convoy` in a test: takes arguments, returns text and the exit code.

#pragma once

#include "Driver/Operators.h"
#include "io/test/TestModel.h"
#include "tools/convoy/arguments/Arguments.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace convoy::tool::test {

struct DriverCase : ::testing::Test {
  // The cache of `convoy run` belongs to the test.
  DriverCase() { setenv("XDG_CACHE_HOME", folder.file("cache").c_str(), /*overwrite=*/1); }

  /// Runs `convoy` with these arguments.
  ExitCode convoy(std::vector<std::string> arguments) {
    std::vector<const char *> argv{"convoy"};
    for (const std::string &argument : arguments) {
      argv.push_back(argument.c_str());
    }
    out.clear();
    err.clear();
    llvm::raw_string_ostream outStream(out), errStream(err);
    Console console{outStream, errStream};
    return runTool(static_cast<int>(argv.size()), argv.data(), console);
  }

  std::string model(const onnx::ModelProto &proto, const std::string &file = "model.onnx") {
    return folder.write(file, proto.SerializeAsString());
  }

  /// Returns a model of one operator of driver::operatorModel.
  std::string op(llvm::StringRef name, bool isQuantized = true,
                 const std::string &file = "model.onnx") {
    return model(*driver::operatorModel(name, isQuantized).file().proto, file);
  }

  /// Returns a quantized convolution, which every device runs.
  std::string quantizedConv() {
    return op("ConvWithBias", /*isQuantized=*/true, "quantized_conv.onnx");
  }

  convoy::test::TemporaryFolder folder;
  std::string out, err;
};

} // namespace convoy::tool::test
