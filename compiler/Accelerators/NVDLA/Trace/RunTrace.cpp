// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a trace once normally and once with idle engines. If both runs pass, the trace is weak
// evidence, and the engines must at least have written to the checked region. A trace whose pixels
// were never published counts if two different images give its checksum, because then the pixels do
// not matter.

#include "Accelerators/NVDLA/Trace/RunTrace.h"
#include "Accelerators/NVDLA/Trace/Device.h"
#include "Support/TypedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::nvdla {
namespace {

using Kind = TraceStatement::Kind;

class Run {
public:
  Run(const HardwareConfig &config, bool isIdle, uint8_t missingByte)
      : device(config, memory), isIdle(isIdle), missingByte(missingByte) {}

  /// Runs the statements; fails at the first one that does not hold.
  llvm::Error run(const Trace &trace) {
    for (const TraceStatement &statement : trace.statements) {
      if (llvm::Error error = runStatement(statement)) {
        return withPrefix("line " + llvm::Twine(statement.line) + ": ", std::move(error));
      }
    }
    return memory.takeFault();
  }

  bool readsImageAt(uint64_t address) const {
    return llvm::is_contained(device.imageAddresses(), address);
  }
  bool isReached(const TraceStatement &check) const {
    return memory.bytesWritten(check.port, check.address, check.size) > 0;
  }

private:
  llvm::Error runStatement(const TraceStatement &statement) {
    switch (statement.kind) {
    case Kind::WriteRegister:
      return isIdle ? llvm::Error::success()
                    : device.write(statement.unit, statement.name, statement.value);
    case Kind::InitMemory:
      memory.clear(statement.port, statement.address, statement.size);
      lastInit = &statement;
      return llvm::Error::success();
    case Kind::LoadMemory:
      load(statement);
      return llvm::Error::success();
    case Kind::Interrupt:
      return awaitInterrupt(statement);
    case Kind::CheckCrc:
      return checkCrc(statement);
    }
    return llvm::Error::success();
  }

  void load(const TraceStatement &statement) {
    for (const TraceStatement::Piece &piece : statement.pieces) {
      memory.load(statement.port, statement.address + piece.offset, piece.bytes);
    }
    if (statement.isMissing && lastInit && lastInit->address == statement.address) {
      std::vector<uint8_t> bytes(lastInit->size, missingByte);
      memory.load(statement.port, statement.address, bytes);
    }
  }

  llvm::Error awaitInterrupt(const TraceStatement &statement) {
    // The interrupts of CDMA are implied by the interrupt of SDP.
    llvm::StringRef unit = statement.unit;
    if (isIdle || unit.starts_with("cdma") || device.completions(unit) > 0) {
      return llvm::Error::success();
    }
    return llvm::createStringError(unit + " never completes: not all units of its job are enabled");
  }

  llvm::Error checkCrc(const TraceStatement &statement) {
    uint32_t crc = memory.crc32(statement.port, statement.address, statement.size);
    if (crc == statement.value) {
      return llvm::Error::success();
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "expects checksum " << llvm::format_hex(statement.value, 10) << " of " << statement.size
       << " bytes at " << llvm::format_hex(statement.address, 10) << ", got "
       << llvm::format_hex(crc, 10);
    return llvm::createStringError(text);
  }

  Memory memory;
  Device device;
  bool isIdle;
  uint8_t missingByte;
  const TraceStatement *lastInit = nullptr;
};

bool passes(const Trace &trace, const HardwareConfig &config, bool isIdle, uint8_t missingByte) {
  llvm::Error error = Run(config, isIdle, missingByte).run(trace);
  bool isPassed = !error;
  llvm::consumeError(std::move(error));
  return isPassed;
}

/// Returns a missing file that is not an image, or null.
const TraceStatement *findMissingData(const Trace &trace, const Run &run) {
  for (const TraceStatement &statement : trace.statements) {
    if (statement.isMissing && !run.readsImageAt(statement.address)) {
      return &statement;
    }
  }
  return nullptr;
}

/// Returns a check whose region no engine wrote, or null.
const TraceStatement *findUnreached(const Trace &trace, const Run &run) {
  for (const TraceStatement &statement : trace.statements) {
    if (statement.kind == Kind::CheckCrc && !run.isReached(statement)) {
      return &statement;
    }
  }
  return nullptr;
}

} // namespace

TraceResult runTrace(const Trace &trace, const HardwareConfig &config) {
  using Status = TraceResult::Status;
  Run run(config, /*isIdle=*/false, /*missingByte=*/0);
  llvm::Error error = run.run(trace);
  if (const TraceStatement *missing = findMissingData(trace, run)) {
    llvm::consumeError(std::move(error));
    return {Status::Skipped, false, "its file " + missing->name + " is not published"};
  }
  if (error) {
    return {Status::Failed, false, llvm::toString(std::move(error))};
  }
  if (!llvm::any_of(trace.statements, [](const TraceStatement &statement) {
        return statement.kind == Kind::CheckCrc;
      })) {
    return {Status::Failed, false, "the trace has no check_crc statement"};
  }
  if (findUnreached(trace, run)) {
    return {Status::Failed, false, "no engine wrote to the region that is checked"};
  }
  TraceResult result = {Status::Passed, passes(trace, config, /*isIdle=*/true, 0), ""};
  if (llvm::any_of(trace.statements,
                   [](const TraceStatement &statement) { return statement.isMissing; })) {
    if (!passes(trace, config, /*isIdle=*/false, 0xff)) {
      return {Status::Skipped, false,
              "its pixels are not published, and its checksum depends on them"};
    }
    result.note = "its pixels are not published; black and white pixels both give its checksum";
  }
  return result;
}

} // namespace convoy::nvdla
