// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the reference on the data of a test bench. The tolerance is the tolerance of
// `convoy check`, as far as a small C program can check it.

#include "Driver/Backends/Source/SourceTest.h"
#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "Driver/ModelFloats.h"
#include "Driver/QuantizationKind.h"
#include "Driver/ResolveTarget.h"
#include "Driver/TensorConversion.h"
#include "Support/TypedError.h"

namespace convoy::driver {
namespace {

codegen::TestCase boundsFor(const Model &model, const CompileRequest &request) {
  QuantizationKind kind = quantizationOf(model.file());
  codegen::TestCase test;
  if (kind != QuantizationKind::None || request.calibration) {
    test.relativeL2 = kind == QuantizationKind::Dynamic ? 0.05 : 0.08;
    test.steps = 4;
  } else if (ElementType narrow = narrowestFloat(model.file()); narrow != ElementType::F32) {
    test.relativeL2 = narrow == ElementType::BF16 ? 0.08 : 0.01;
  }
  return test;
}

llvm::Error addTensors(std::vector<Tensor> &list, const std::vector<TensorData> &tensors) {
  for (const TensorData &data : tensors) {
    llvm::Expected<Tensor> tensor = toTensor(data);
    if (!tensor) {
      return tensor.takeError();
    }
    list.push_back(std::move(*tensor));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<codegen::TestCase> makeSourceTest(const Model &model,
                                                 const CompileRequest &request) {
  const NamedTensors &data = *request.output.testInputs;
  CompileRequest wanted;
  wanted.inputs = request.inputs;
  for (const auto &[name, tensor] : data) {
    wanted.inputs.shapes.try_emplace(name, tensor.shape);
  }
  wanted.target.name = kReferenceTarget.str();
  wanted.output.emit = Emit::Memory;
  wanted.numerics = request.numerics;
  wanted.calibration = request.calibration;
  Result<Artifact> artifact = compileModel(model, wanted, {});
  if (!artifact) {
    return firstErrorOf(artifact.problems());
  }
  Result<std::vector<TensorData>> outputs = artifact->memory->run(data);
  if (!outputs) {
    return withPrefix("the reference gave no outputs for the test bench: ",
                      firstErrorOf(outputs.problems()));
  }
  codegen::TestCase test = boundsFor(model, request);
  std::vector<TensorData> inputs;
  for (const std::string &name : artifact->memory->inputNames()) {
    inputs.push_back(data.at(name));
  }
  if (llvm::Error error = addTensors(test.inputs, inputs)) {
    return error;
  }
  if (llvm::Error error = addTensors(test.outputs, *outputs)) {
    return error;
  }
  return test;
}

} // namespace convoy::driver
