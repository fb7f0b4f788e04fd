// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the figures of `convoy-tuningd simulate`: a table for people, Markdown for the
// documentation, JSON for programs.

#pragma once

#include "service/simulate/Experiment.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tuningd {

/// The figures of one load.
struct LoadFigures {
  std::string name, summary;
  int seeds = 0;
  std::vector<service::PolicyFigures> policies;
  std::vector<std::string> missed; // targets, if they were checked
};

void printTable(llvm::raw_ostream &os, const LoadFigures &load);
void printMarkdown(llvm::raw_ostream &os, const LoadFigures &load);
void printJson(llvm::raw_ostream &os, const std::vector<LoadFigures> &loads);

} // namespace convoy::tuningd
