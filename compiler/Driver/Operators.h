// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one model per operator and places it on a device. The documentation's table of
// supported operators shows the result, so that the table follows the code.

#pragma once

#include "Accelerators/Accelerator.h"
#include "convoy/model.h"

namespace convoy::driver {

/// Returns the names of all operators: "ConvWithBias", "Relu" ...
llvm::ArrayRef<llvm::StringLiteral> operatorNames();

/// Returns the ONNX op that the model of an operator contains: "Conv" for "ConvWithBias".
std::string onnxOpOf(llvm::StringRef name);

/// Returns a model of one operator. A quantized model has int8 inputs, outputs and
/// weights.
Model operatorModel(llvm::StringRef name, bool isQuantized);

/// Returns whether the device computes only in integers and needs quantized models.
bool isForIntegers(const accelerators::Accelerator &device);

/// The placement of an operator.
struct OperatorVerdict {
  bool isOnDevice = false;
  std::string reason; // why it stays on the CPU, or a remark if it is on the device; may be empty
};

llvm::Expected<OperatorVerdict> placeOperator(llvm::StringRef name,
                                              const accelerators::Accelerator &device);

} // namespace convoy::driver
