// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-measure --serve: requests in, one JSON object per line, answers out. Each is
// done in a process of its own that may crash or hang; this one goes on.

#pragma once

namespace convoy::measure {

/// Until the end of the input. Returns the exit code.
int serve();

} // namespace convoy::measure
