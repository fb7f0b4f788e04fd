// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages of the documentation: what each device runs, and the stages.

#pragma once

#include <string>
#include <vector>

namespace convoy::driver {

/// As Markdown. Ops are those of convcore; what is above a limit may still run, mapped to
/// others.
std::string devicePage();

/// The names of all stages, in order.
std::vector<std::string> stageNames();

/// The table of stages; as Markdown, or as text for a terminal.
std::string stageTable(bool isMarkdown);

} // namespace convoy::driver
