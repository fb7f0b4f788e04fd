// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-measure --serve: reads one JSON request per line and writes one answer per
// line. Each request runs in its own process, which may crash or hang without affecting this
// one.

#pragma once

namespace convoy::measure {

/// Runs until the end of the input. Returns the exit code.
int serve();

} // namespace convoy::measure
