// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that convolution devices are compared by, each as a model of its own:
// what becomes of them is found by placing them, not kept in a list.

#pragma once

#include "Accelerators/Accelerator.h"
#include "convoy/model.h"

namespace convoy::driver {

/// "ConvWithBias", "Relu" ...
llvm::ArrayRef<llvm::StringLiteral> operatorNames();

/// A model of that operator alone. Quantised it reads and writes int8, and its weights are
/// int8.
Model operatorModel(llvm::StringRef name, bool isQuantized);

/// Whether the device computes with integers, so that quantised models are for it.
bool isForIntegers(const accelerators::Accelerator &device);

/// What a device does with an operator.
struct OperatorVerdict {
  bool isOnDevice = false;
  std::string reason; // why not; with `isOnDevice` how, where there is something to say
};

llvm::Expected<OperatorVerdict> placeOperator(llvm::StringRef name,
                                              const accelerators::Accelerator &device);

} // namespace convoy::driver
