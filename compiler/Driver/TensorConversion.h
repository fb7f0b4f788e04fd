// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between the tensors of the public headers and the compiler's tensors. Both share
// the bytes.

#pragma once

#include "Support/Tensor.h"
#include "convoy/tensor.h"
#include "llvm/Support/Error.h"

namespace convoy::driver {

/// Checks the data and converts it.
llvm::Expected<Tensor> toTensor(const TensorData &data);
TensorData toTensorData(const Tensor &tensor);

} // namespace convoy::driver
