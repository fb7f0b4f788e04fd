// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of RUBIK, one per job.

#pragma once

#include "Accelerators/NVDLA/Compile/TaskWriter.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"

namespace convoy::nvdla {

RubikDescriptor describeContract(ContractOp op, const TaskWriter &writer);
std::vector<RubikDescriptor> describeSplit(SplitOp op, const TaskWriter &writer);
std::vector<RubikDescriptor> describeTurn(TurnOp op, const TaskWriter &writer);
std::vector<RubikDescriptor> describeMerge(MergeOp op, const TaskWriter &writer);

} // namespace convoy::nvdla
