// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses traces. The grammar is one call per line, name(argument, argument); with // comments. Data
// files hold entries {offset:0x0, size:4, payload:0x01 0x02 ...}, optionally inside braces.

#include "Accelerators/NVDLA/Trace/Trace.h"
#include "Support/TypedError.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace convoy::nvdla {
namespace {

using Arguments = llvm::SmallVector<llvm::StringRef, 5>;

/// The maximal size of one region in bytes.
constexpr uint64_t kMaxRegionBytes = uint64_t(1) << 30;

llvm::Error lineError(unsigned line, const llvm::Twine &text) {
  return llvm::createStringError("line " + llvm::Twine(line) + ": " + text);
}

llvm::Expected<uint64_t> parseNumber(llvm::StringRef text) {
  uint64_t value = 0;
  if (text.getAsInteger(0, value)) {
    return llvm::createStringError("expects a number, got '" + text + "'");
  }
  return value;
}

/// Parses a port: `1` and pri_mem are one port, `0` and sec_mem the other.
llvm::Expected<Port> parsePort(llvm::StringRef text) {
  if (text == "1" || text == "pri_mem") {
    return Port::Dram;
  }
  if (text == "0" || text == "sec_mem") {
    return Port::Sram;
  }
  return llvm::createStringError("expects pri_mem or sec_mem, got '" + text + "'");
}

llvm::Error parseRegister(const Arguments &arguments, TraceStatement &statement) {
  llvm::StringRef unit, name;
  std::tie(unit, name) = arguments[0].split('.');
  if (!unit.consume_front("NVDLA_") || !name.consume_back("_0")) {
    return llvm::createStringError("expects NVDLA_unit.register_0, got '" + arguments[0] + "'");
  }
  llvm::Expected<uint64_t> value = parseNumber(arguments[1]);
  if (!value) {
    return value.takeError();
  }
  statement.unit = unit.str();
  statement.name = name.str();
  statement.value = uint32_t(*value);
  return llvm::Error::success();
}

/// Parses port and address from two arguments, and the size from a third if `hasSize`.
llvm::Error parseRegion(llvm::ArrayRef<llvm::StringRef> arguments, bool hasSize,
                        TraceStatement &statement) {
  llvm::Expected<Port> port = parsePort(arguments[0]);
  if (!port) {
    return port.takeError();
  }
  llvm::Expected<uint64_t> address = parseNumber(arguments[1]);
  if (!address) {
    return address.takeError();
  }
  statement.port = *port;
  statement.address = *address;
  if (hasSize) {
    llvm::Expected<uint64_t> size = parseNumber(arguments[2]);
    if (!size) {
      return size.takeError();
    }
    if (*size > kMaxRegionBytes) {
      return createUnsupported("a region of %" PRIu64 " bytes is not supported; at most 1 GiB is",
                               *size);
    }
    statement.size = *size;
  }
  return llvm::Error::success();
}

llvm::Error parseCheck(const Arguments &arguments, TraceStatement &statement) {
  if (llvm::Error error = parseRegion(llvm::ArrayRef(arguments).drop_front(), true, statement)) {
    return error;
  }
  llvm::Expected<uint64_t> crc = parseNumber(arguments[4]);
  if (!crc) {
    return crc.takeError();
  }
  statement.value = uint32_t(*crc);
  return llvm::Error::success();
}

llvm::Error parseInterrupt(const Arguments &arguments, TraceStatement &statement) {
  llvm::StringRef unit = arguments[0];
  unit.consume_back("_0");
  statement.unit = unit.str();
  return llvm::Error::success();
}

llvm::Error parseMemory(const Arguments &arguments, TraceStatement &statement) {
  bool isLoad = statement.kind == TraceStatement::Kind::LoadMemory;
  if (isLoad) {
    statement.name = arguments[2].trim('"').str();
  } else if (arguments[3] != "ALL_ZERO") {
    return createUnsupported("mem_init of '" + arguments[3] + "' is not supported; ALL_ZERO is");
  }
  return parseRegion(arguments, !isLoad, statement);
}

struct Form {
  llvm::StringLiteral name;
  size_t arguments;
  std::optional<TraceStatement::Kind> kind; // none if the simulator ignores the statement
  llvm::Error (*parse)(const Arguments &, TraceStatement &);
};

using Kind = TraceStatement::Kind;
constexpr Form kForms[] = {
    {"reg_write", 2, Kind::WriteRegister, parseRegister},
    {"mem_init", 4, Kind::InitMemory, parseMemory},
    {"mem_load", 3, Kind::LoadMemory, parseMemory},
    {"intr_notify", 2, Kind::Interrupt, parseInterrupt},
    {"check_crc", 5, Kind::CheckCrc, parseCheck},
    // Statements run in order, and status polls hold immediately.
    {"poll_reg_equal", 2, std::nullopt, nullptr},
    {"check_nothing", 1, std::nullopt, nullptr},
    {"sync_notify", 2, std::nullopt, nullptr},
    {"sync_wait", 2, std::nullopt, nullptr},
};

llvm::Error parseLine(llvm::StringRef text, TraceStatement &statement, bool &isKept) {
  llvm::StringRef name, rest;
  std::tie(name, rest) = text.split('(');
  rest = rest.rtrim("; \t");
  Arguments arguments;
  if (!rest.consume_back(")")) {
    return llvm::createStringError("expects 'name(arguments);', got '" + text + "'");
  }
  rest.split(arguments, ',');
  for (llvm::StringRef &argument : arguments) {
    argument = argument.trim();
  }
  for (const Form &form : kForms) {
    if (form.name != name.trim()) {
      continue;
    }
    if (arguments.size() != form.arguments) {
      return llvm::createStringError("%s expects %zu arguments, got %zu", form.name.data(),
                                     form.arguments, arguments.size());
    }
    isKept = form.kind.has_value();
    if (isKept) {
      statement.kind = *form.kind;
      return form.parse(arguments, statement);
    }
    return llvm::Error::success();
  }
  return llvm::createStringError("unknown statement '" + name.trim() + "'");
}

llvm::Expected<TraceStatement::Piece> parsePiece(llvm::StringRef text) {
  auto malformed = [&] {
    return llvm::createStringError("expects {offset:.., size:.., payload:..}, got '{" +
                                   text.take_front(60) + "'");
  };
  llvm::SmallVector<llvm::StringRef, 3> fields;
  text.split(fields, ',');
  if (fields.size() != 3) {
    return malformed();
  }
  for (llvm::StringRef &field : fields) {
    field = field.trim();
  }
  TraceStatement::Piece piece;
  uint64_t size = 0;
  if (!fields[0].consume_front("offset:") || !fields[1].consume_front("size:") ||
      !fields[2].consume_front("payload:") || fields[0].trim().getAsInteger(0, piece.offset) ||
      fields[1].trim().getAsInteger(0, size) || piece.offset > kMaxRegionBytes) {
    return malformed();
  }
  llvm::SmallVector<llvm::StringRef, 32> bytes;
  fields[2].split(bytes, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef byte : bytes) {
    uint8_t value = 0;
    if (byte.getAsInteger(0, value)) {
      return malformed();
    }
    piece.bytes.push_back(value);
  }
  if (piece.bytes.size() != size) {
    return malformed();
  }
  return piece;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openFile(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + path + "': " + buffer.getError().message());
  }
  return std::move(*buffer);
}

/// Returns whether the name refers to a file in the same folder.
bool isPlainName(llvm::StringRef name) {
  return !name.empty() && !name.contains('/') && name != "..";
}

llvm::Error loadFile(llvm::StringRef folder, TraceStatement &statement) {
  if (!isPlainName(statement.name)) {
    return lineError(statement.line,
                     "'" + statement.name + "' is not the name of a file in the trace's folder");
  }
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, statement.name);
  if (!llvm::sys::fs::exists(path)) {
    statement.isMissing = true;
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = openFile(path);
  if (!file) {
    return file.takeError();
  }
  llvm::Expected<std::vector<TraceStatement::Piece>> pieces = parsePieces((*file)->getBuffer());
  if (!pieces) {
    return withPrefix(path + ": ", pieces.takeError());
  }
  statement.pieces = std::move(*pieces);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<TraceStatement>> parseStatements(llvm::StringRef text) {
  std::vector<TraceStatement> statements;
  unsigned number = 0;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    ++number;
    line = line.substr(0, line.find("//")).trim();
    if (line.empty()) {
      continue;
    }
    TraceStatement statement;
    statement.line = number;
    bool isKept = false;
    if (llvm::Error error = parseLine(line, statement, isKept)) {
      return lineError(number, llvm::toString(std::move(error)));
    }
    if (isKept) {
      statements.push_back(std::move(statement));
    }
  }
  return statements;
}

llvm::Expected<std::vector<TraceStatement::Piece>> parsePieces(llvm::StringRef text) {
  std::vector<TraceStatement::Piece> pieces;
  size_t begin = text.find("{offset");
  while (begin != llvm::StringRef::npos) {
    size_t end = text.find('}', begin);
    if (end == llvm::StringRef::npos) {
      return llvm::createStringError("the last entry has no '}'");
    }
    llvm::Expected<TraceStatement::Piece> piece = parsePiece(text.slice(begin + 1, end));
    if (!piece) {
      return piece.takeError();
    }
    pieces.push_back(std::move(*piece));
    begin = text.find("{offset", end);
  }
  return pieces;
}

llvm::Expected<Trace> readTrace(llvm::StringRef folder) {
  Trace trace;
  trace.name = llvm::sys::path::filename(folder).str();
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, trace.name + ".cfg");
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = openFile(path);
  if (!file) {
    return file.takeError();
  }
  llvm::Expected<std::vector<TraceStatement>> statements = parseStatements((*file)->getBuffer());
  if (!statements) {
    return withPrefix(path + ": ", statements.takeError());
  }
  trace.statements = std::move(*statements);
  for (TraceStatement &statement : trace.statements) {
    if (statement.kind == TraceStatement::Kind::LoadMemory) {
      if (llvm::Error error = loadFile(folder, statement)) {
        return error;
      }
    }
  }
  return trace;
}

} // namespace convoy::nvdla
