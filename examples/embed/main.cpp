// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embeds the compiler: reads a model and writes the same library as `convoy compile`. Also
// compiles the model into this process and runs it on inputs of ones.
//
//   embed model.onnx [folder]

#include <convoy/compiler.h>
#include <cstdio>

/// Prints the problems. Returns whether there is a value.
template <typename T>
static bool isThere(const convoy::Result<T> &result) {
  for (const convoy::Problem &problem : result.problems().all()) {
    std::fprintf(stderr, "%s\n", problem.text.c_str());
  }
  return static_cast<bool>(result);
}

static convoy::TensorData ones(const convoy::TensorInfo &info) {
  auto data = std::make_shared<std::vector<float>>(convoy::elementCountOf(info.shape), 1.0F);
  return {info.type, info.shape, std::shared_ptr<const void>(data, data->data()), {}};
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: embed model.onnx [folder]\n");
    return 1;
  }
  convoy::Result<convoy::Model> model = convoy::Model::read(argv[1]);
  if (!isThere(model)) {
    return 1;
  }
  convoy::CompileRequest request;
  request.output.folder = argc > 2 ? argv[2] : ".";
  if (argc > 2 && !isThere(convoy::compileModel(*model, request))) {
    return 1;
  }
  request.output.emit = convoy::Emit::Memory;
  convoy::Result<convoy::Artifact> artifact = convoy::compileModel(*model, request);
  if (!isThere(artifact)) {
    return 1;
  }
  convoy::NamedTensors inputs;
  for (const convoy::TensorInfo &input : artifact->report.inputs) {
    inputs[input.name] = ones(input);
  }
  convoy::Result<std::vector<convoy::TensorData>> outputs = artifact->memory->run(inputs);
  for (size_t i = 0; isThere(outputs) && i < outputs->size(); ++i) {
    const convoy::TensorData &output = (*outputs)[i];
    std::printf("%s:", artifact->memory->outputNames()[i].c_str());
    for (int64_t k = 0; k < convoy::elementCountOf(output.shape) && k < 8; ++k) {
      std::printf(" %.3f", static_cast<const float *>(output.bytes.get())[k]);
    }
    std::printf("\n");
  }
  return outputs ? 0 : 1;
}
