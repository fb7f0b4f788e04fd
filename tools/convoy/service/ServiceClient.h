// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects a verb to a tuning service.

#pragma once

#include "service/api/JsonClient.h"
#include "tools/convoy/Options.h"
#include "tools/convoy/Verbs.h"

namespace convoy::tool {

/// Returns the certificates of the user. The error names --service-certs.
llvm::Expected<service::TlsFiles> clientFiles(const ServiceFlags &flags);

/// Returns a client. The error names --service-certs, or `flag`, which gave the URLs.
llvm::Expected<std::unique_ptr<service::TuningApi>> openService(const ServiceFlags &flags,
                                                                llvm::StringRef flag);

/// Prints the error of a call and returns the exit code.
ExitCode failCall(llvm::Error error, Console &console);

} // namespace convoy::tool
