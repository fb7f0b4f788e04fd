// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A .npy file consists of "\x93NUMPY", two version bytes, the length of the header, a header
// such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}, and the data.

#include "io/Npy.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <cstring>

namespace convoy::io {
namespace {

struct NpyType {
  llvm::StringLiteral descr; // without the byte order
  ElementType type;
};

constexpr NpyType kTypes[] = {
    {"b1", ElementType::Bool},      {"i1", ElementType::I8},         {"u1", ElementType::U8},
    {"i2", ElementType::I16},       {"u2", ElementType::U16},        {"i4", ElementType::I32},
    {"u4", ElementType::U32},       {"i8", ElementType::I64},        {"u8", ElementType::U64},
    {"f2", ElementType::F16},       {"f4", ElementType::F32},        {"f8", ElementType::F64},
    {"c8", ElementType::Complex64}, {"c16", ElementType::Complex128}};

constexpr llvm::StringLiteral kMagic = "\x93NUMPY";

/// Returns the text after `key` and its colon, or nothing.
std::optional<llvm::StringRef> valueOf(llvm::StringRef dictionary, llvm::StringRef key) {
  size_t at = dictionary.find(("'" + key + "'").str());
  if (at == llvm::StringRef::npos) {
    return std::nullopt;
  }
  llvm::StringRef rest = dictionary.drop_front(at + key.size() + 2).ltrim();
  return rest.consume_front(":") ? std::optional<llvm::StringRef>(rest.ltrim()) : std::nullopt;
}

llvm::Error parseType(llvm::StringRef value, llvm::StringRef file, NpyHeader &header) {
  llvm::StringRef descr = value.split('\'').second.split('\'').first;
  llvm::StringRef order = descr.take_front(1);
  auto it = llvm::find_if(kTypes, [&](const NpyType &row) { return row.descr == descr.substr(1); });
  if (it == std::end(kTypes) || order == ">" || !value.starts_with("'")) {
    return createUnsupported("'" + file + "': not supported: NumPy type " +
                             value.take_until([](char c) { return c == ',' || c == '}'; }) +
                             "; save the array as little-endian float, integer or bool");
  }
  header.type = it->type;
  return llvm::Error::success();
}

llvm::Error parseShape(llvm::StringRef value, llvm::StringRef file, NpyHeader &header) {
  llvm::SmallVector<llvm::StringRef> dims;
  llvm::StringRef inside = value.split('(').second.split(')').first;
  inside.split(dims, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef dim : dims) {
    int64_t size = 0;
    if (dim.trim().empty()) {
      continue;
    }
    if (dim.trim().getAsInteger(10, size) || size < 0) {
      return fileError("'" + file + "' has an invalid shape (" + inside + ")");
    }
    header.shape.push_back(size);
  }
  return llvm::Error::success();
}

llvm::Expected<NpyHeader> parseDictionary(llvm::StringRef text, llvm::StringRef file) {
  std::optional<llvm::StringRef> descr = valueOf(text, "descr");
  std::optional<llvm::StringRef> order = valueOf(text, "fortran_order");
  std::optional<llvm::StringRef> shape = valueOf(text, "shape");
  if (!descr || !order || !shape) {
    return fileError("'" + file + "' has a header without descr, fortran_order or shape");
  }
  NpyHeader header;
  header.isColumnMajor = order->starts_with("True");
  if (llvm::Error error = parseType(*descr, file, header)) {
    return error;
  }
  if (llvm::Error error = parseShape(*shape, file, header)) {
    return error;
  }
  return header;
}

/// Reorders column-major elements to row-major.
Tensor toRowMajor(const Tensor &source) {
  Tensor result(source.type(), source.shape());
  int64_t width = storageBytes(source.type());
  const char *from = source.data<char>();
  char *to = result.mutableData<char>();
  llvm::SmallVector<int64_t> index(source.rank(), 0);
  for (int64_t i = 0; i < source.size(); ++i) {
    int64_t offset = 0;
    for (int64_t d = source.rank() - 1; d >= 0; --d) {
      offset = offset * source.dim(d) + index[d];
    }
    std::memcpy(to + i * width, from + offset * width, width);
    for (int64_t d = source.rank() - 1; d >= 0 && ++index[d] == source.dim(d); --d) {
      index[d] = 0;
    }
  }
  return result;
}

} // namespace

llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef bytes, llvm::StringRef name) {
  llvm::StringRef rest = bytes;
  // The length of the header has 2 bytes in version 1 and 4 bytes in versions 2 and 3.
  bool isMagic = rest.consume_front(kMagic) && !rest.empty();
  bool isLong = isMagic && rest[0] >= 2;
  if (!isMagic || rest.size() < (isLong ? 6 : 4)) {
    return fileError("'" + name + "' is not a .npy file: it does not begin with \\x93NUMPY");
  }
  size_t length = isLong ? llvm::support::endian::read32le(rest.data() + 2)
                         : llvm::support::endian::read16le(rest.data() + 2);
  rest = rest.drop_front(isLong ? 6 : 4);
  if (length > rest.size()) {
    return fileError("'" + name + "' is truncated in its header");
  }
  llvm::Expected<NpyHeader> header = parseDictionary(rest.take_front(length), name);
  if (header) {
    header->dataOffset = bytes.size() - rest.size() + length;
  }
  return header;
}

llvm::Error checkNpySize(const NpyHeader &header, uint64_t dataBytes, llvm::StringRef name) {
  std::optional<int64_t> count = elementCount(header.shape);
  int64_t width = storageBytes(header.type);
  if (!count || *count > static_cast<int64_t>(dataBytes) / width ||
      *count * width != static_cast<int64_t>(dataBytes)) {
    return fileError("'" + name + "' contains " + llvm::Twine(dataBytes) +
                     " bytes of data, which does not fit its shape");
  }
  return llvm::Error::success();
}

llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes, llvm::StringRef name) {
  llvm::Expected<NpyHeader> header = parseNpyHeader(bytes, name);
  if (!header) {
    return header.takeError();
  }
  llvm::StringRef data = bytes.drop_front(header->dataOffset);
  if (llvm::Error error = checkNpySize(*header, data.size(), name)) {
    return error;
  }
  Tensor result(header->type, header->shape);
  std::memcpy(result.mutableRaw(), data.data(), data.size());
  return header->isColumnMajor && result.rank() > 1 ? toRowMajor(result) : result;
}

llvm::Expected<Tensor> readNpy(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path);
  return buffer ? parseNpy((*buffer)->getBuffer(), path)
                : llvm::Expected<Tensor>(buffer.takeError());
}

bool isNpyType(ElementType type) {
  return llvm::any_of(kTypes, [&](const NpyType &row) { return row.type == type; });
}

std::string encodeNpyHeader(ElementType type, llvm::ArrayRef<int64_t> dims) {
  auto it = llvm::find_if(kTypes, [&](const NpyType &row) { return row.type == type; });
  std::string text;
  for (int64_t dim : dims) {
    text += std::to_string(dim) + ", ";
  }
  // A tuple of one element needs a comma: "(3,)".
  llvm::StringRef shape = text;
  shape = dims.size() == 1 ? shape.drop_back(1) : shape.drop_back(dims.size() > 1 ? 2 : 0);
  std::string header = ("{'descr': '" + llvm::Twine(storageBytes(type) == 1 ? "|" : "<") +
                        it->descr + "', 'fortran_order': False, 'shape': (" + shape + "), }")
                           .str();
  // NumPy pads the header so that the data starts at a multiple of 64 bytes.
  size_t before = kMagic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string result = kMagic.str();
  result += {'\x01', '\x00', static_cast<char>(header.size() & 255),
             static_cast<char>(header.size() >> 8)};
  return result + header;
}

std::string encodeNpy(const Tensor &tensor) {
  std::string result = encodeNpyHeader(tensor.type(), tensor.shape());
  result.append(tensor.data<char>(), tensor.bytes());
  return result;
}

llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor) {
  return writeFile(path, encodeNpy(tensor));
}

} // namespace convoy::io
