// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the importer's table of ops.

#include "Driver/ListOps.h"
#include "Import/OpTable.h"
#include "Import/OpVersions.h"

namespace convoy::driver {
namespace {

std::string versionsText(const import::OpRow &row) {
  const import::OpVersions *versions = import::findOpVersions(row.domain, row.name);
  if (!versions) {
    return "?";
  }
  std::string text;
  for (char c : versions->since) {
    text += c == ' ' ? ", " : std::string(1, c);
  }
  return versions->removed ? text + ", removed in " + std::to_string(versions->removed) : text;
}

/// Returns whether the host runs an op. A limit that begins with "host:" restricts it.
std::string hostText(const import::OpRow &row) {
  return row.limits.starts_with("host:") ? "partly" : row.runsOnCpu ? "yes" : "no";
}

} // namespace

int newestOpset() { return import::kNewestOpset; }

std::vector<OpSummary> listOps() {
  std::vector<OpSummary> list;
  for (const import::OpRow *row : import::allOps()) {
    OpSummary &op = list.emplace_back();
    op.domain = row->domain.str();
    op.name = row->name.str();
    op.opsets = versionsText(*row);
    op.host = hostText(*row);
    op.limits = row->limits.str();
  }
  return list;
}

} // namespace convoy::driver
