// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends a model to a tuning service, and fetches the compiled network of a job.

#pragma once

#include "service/api/TuningApi.h"
#include "tools/convoy/Options.h"

namespace convoy::tool {

/// Stores a file in the blob store of the service. Returns its SHA-256.
llvm::Expected<std::string> uploadModel(const ServiceFlags &flags, llvm::StringRef path);

/// Writes the files of a job's compiled network to an existing folder. Returns their paths.
llvm::Expected<std::vector<std::string>>
fetchNetwork(const ServiceFlags &flags, const service::JobStatus &job, llvm::StringRef folder);

} // namespace convoy::tool
