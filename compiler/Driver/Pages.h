// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates pages of the documentation: the ops of each device, and the stages.

#pragma once

#include <string>
#include <vector>

namespace convoy::driver {

/// Returns the table of supported ops of each device as Markdown. The ops are convcore ops.
/// An op above a limit can still run if a rewrite splits it.
std::string devicePage();

/// Returns the names of all stages, in order.
std::vector<std::string> stageNames();

/// Returns the table of stages as Markdown or as text for a terminal.
std::string stageTable(bool isMarkdown);

} // namespace convoy::driver
