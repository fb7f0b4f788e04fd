// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of the public headers to and from the compiler's own. Bytes are shared, not
// copied.

#pragma once

#include "Support/Tensor.h"
#include "convoy/tensor.h"
#include "llvm/Support/Error.h"

namespace convoy::driver {

/// The error says what is wrong with the data.
llvm::Expected<Tensor> toTensor(const TensorData &data);
TensorData toTensorData(const Tensor &tensor);

} // namespace convoy::driver
