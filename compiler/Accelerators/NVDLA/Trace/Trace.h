// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test of the hardware as its authors publish it: a folder with a list of statements and data
// files. Reading a trace does not run it; RunTrace.h does.

#pragma once

#include "Accelerators/NVDLA/Simulator/Memory.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace convoy::nvdla {

struct TraceStatement {
  enum class Kind { WriteRegister, InitMemory, LoadMemory, Interrupt, CheckCrc } kind;
  unsigned line = 0;
  /// WriteRegister: unit and register. Interrupt: the unit. LoadMemory: the file.
  std::string unit, name;
  Port port = Port::Dram;
  uint64_t address = 0, size = 0;
  /// The register's value, or the checksum.
  uint32_t value = 0;
  /// LoadMemory: the pieces of the file, and whether the file is missing.
  struct Piece {
    uint64_t offset;
    std::vector<uint8_t> bytes;
  };
  std::vector<Piece> pieces;
  bool isMissing = false;
};

struct Trace {
  std::string name;
  std::vector<TraceStatement> statements;
};

/// Reads the .cfg file of `folder` and the files that it names. A missing data file is not an
/// error, because some were never published.
llvm::Expected<Trace> readTrace(llvm::StringRef folder);

/// Parses the statements of a .cfg file without reading data files. For tests.
llvm::Expected<std::vector<TraceStatement>> parseStatements(llvm::StringRef text);

/// Parses the pieces of a data file.
llvm::Expected<std::vector<TraceStatement::Piece>> parsePieces(llvm::StringRef text);

} // namespace convoy::nvdla
