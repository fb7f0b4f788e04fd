// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Downloads the files of a candidate. All kinds of agents use it.

#pragma once

#include "service/blobs/BlobClient.h"
#include "tuning/measure/Measurer.h"

namespace convoy::service {

/// Replaces the blobs of a candidate by paths in the cache.
llvm::Error downloadCandidate(tuning::RunnableCandidate &candidate, BlobClient &blobs);

} // namespace convoy::service
