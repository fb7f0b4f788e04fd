// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the specification. Convoy's driver writes it, so an error in it is a bug in Convoy;
// the reader still reports it.

#include "Spec.h"
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

namespace convoy::measure {
namespace {

using nlohmann::json;

Mode modeOf(const std::string &name) {
  static const std::map<std::string, Mode> kModes = {
      {"cold", Mode::Cold},       {"compare", Mode::Compare}, {"layers", Mode::Layers},
      {"outputs", Mode::Outputs}, {"streams", Mode::Streams}, {"trace", Mode::Trace}};
  auto found = kModes.find(name);
  if (found != kModes.end()) {
    return found->second;
  }
  fail("unknown mode '" + name + "'");
}

std::vector<TensorSpec> readTensors(const json &list) {
  std::vector<TensorSpec> tensors;
  for (const json &entry : list) {
    tensors.push_back({entry.at("name"), entry.at("type"),
                       entry.at("shape").get<std::vector<int64_t>>(), entry.at("bytes"),
                       entry.value("file", ""), entry.value("open", false)});
  }
  return tensors;
}

CompiledSpec readCompiled(const json &object, const char *key) {
  if (!object.contains(key)) {
    return {};
  }
  const json &entry = object.at(key);
  return {entry.at("library"), entry.at("symbol"), entry.at("workspaceBytes")};
}

Spec decode(const json &object) {
  Spec spec;
  spec.mode = modeOf(object.at("mode"));
  spec.threads = object.at("threads");
  spec.samples = object.at("samples");
  spec.inputs = readTensors(object.at("inputs"));
  spec.outputs = readTensors(object.at("outputs"));
  spec.compiled = readCompiled(object, "compiled");
  spec.plain = readCompiled(object, "plain");
  if (object.contains("peer")) {
    const json &entry = object.at("peer");
    spec.peer = {entry.at("library"), entry.at("model"), entry.value("optimize", true),
                 readTensors(entry.value("inputs", json::array()))};
  }
  if (object.contains("peak")) {
    spec.peak = {object.at("peak").at("library"), object.at("peak").at("flopsPerIteration")};
  }
  spec.outputFolder = object.value("outputFolder", "");
  spec.readBytes = object.value("readBytes", size_t(0));
  spec.layers = object.value("layers", 0);
  spec.isHot = object.value("hot", false);
  spec.streams = object.value("streams", 1);
  return spec;
}

} // namespace

void fail(const std::string &text) {
  std::cerr << text << "\n";
  std::exit(1);
}

Spec readSpec(const char *path) {
  std::ifstream file(path);
  if (!file) {
    fail(std::string("cannot read '") + path + "': " + std::strerror(errno));
  }
  try {
    return decode(json::parse(file));
  } catch (const json::exception &error) {
    fail(std::string("'") + path + "' is not a valid specification: " + error.what());
  }
}

Buffer allocate(size_t bytes) {
  constexpr size_t kAlignmentBytes = 64;
  size_t rounded = (bytes / kAlignmentBytes + 1) * kAlignmentBytes;
  Buffer buffer(static_cast<char *>(std::aligned_alloc(kAlignmentBytes, rounded)), std::free);
  if (!buffer) {
    fail("cannot allocate " + std::to_string(rounded) + " bytes of memory");
  }
  return buffer;
}

std::vector<Buffer> readInputs(const std::vector<TensorSpec> &inputs) {
  std::vector<Buffer> buffers;
  for (const TensorSpec &input : inputs) {
    buffers.push_back(allocate(input.bytes));
    std::ifstream file(input.file, std::ios::binary);
    if (!file.read(buffers.back().get(), static_cast<std::streamsize>(input.bytes))) {
      fail("cannot read " + std::to_string(input.bytes) + " bytes of '" + input.file + "'");
    }
  }
  return buffers;
}

std::vector<Buffer> allocateOutputs(const Spec &spec) {
  std::vector<Buffer> buffers;
  for (const TensorSpec &output : spec.outputs) {
    buffers.push_back(allocate(output.bytes));
    // An output that the program does not write must not be right by chance.
    std::memset(buffers.back().get(), 0xff, output.bytes);
  }
  return buffers;
}

} // namespace convoy::measure
