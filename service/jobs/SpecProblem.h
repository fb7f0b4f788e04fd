// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what a user requests.

#pragma once

#include "service/api/TuningApi.h"

namespace convoy::service {

/// Returns why a specification cannot be a job; empty if it can.
std::string problemOf(const JobSpec &spec);
/// Returns why a job cannot be extended so; empty if it can.
std::string problemOf(const JobExtension &extension);

} // namespace convoy::service
