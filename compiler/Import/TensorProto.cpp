// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes TensorProto messages into Tensor: raw bytes, typed fields and packed
// narrow types. ExternalData.cpp maps external data.

#include "Import/TensorProto.h"
#include "Import/OnnxProto.h"
#include "Support/TensorLimits.h"
#include "Support/TypedError.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstring>

namespace convoy::import {
namespace {

llvm::Error invalid(const onnx::TensorProto &proto, const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument),
                                 "tensor '" + llvm::Twine(proto.name()) + "' " + message);
}

/// Expands packed elements of 2 or 4 bits, low bits first, to one byte each.
void unpack(llvm::StringRef bytes, Tensor &result) {
  int64_t bits = bitWidth(result.type());
  int64_t perByte = 8 / bits;
  bool isPlain = isFloat(result.type());
  uint8_t *out = result.mutableData<uint8_t>();
  for (int64_t i = 0; i < result.size(); ++i) {
    uint8_t byte = static_cast<uint8_t>(bytes[i / perByte]);
    int64_t value = byte >> (i % perByte * bits) & ((1 << bits) - 1);
    if (isPlain) {
      out[i] = static_cast<uint8_t>(value);
    } else {
      result.setInt(i, value);
    }
  }
}

int64_t rawBytes(ElementType type, int64_t count) {
  int64_t bits = bitWidth(type);
  return bits >= 8 ? count * (bits / 8) : (count * bits + 7) / 8;
}

/// Normalizes bools from a file to 0 and 1, because reading any other value is
/// undefined behavior in C++.
Tensor withCleanBools(Tensor tensor) {
  const auto *bytes = static_cast<const uint8_t *>(tensor.raw());
  if (tensor.type() != ElementType::Bool ||
      std::all_of(bytes, bytes + tensor.size(), [](uint8_t byte) { return byte <= 1; })) {
    return tensor;
  }
  auto *out = static_cast<uint8_t *>(tensor.mutableRaw());
  std::transform(out, out + tensor.size(), out, [](uint8_t byte) { return byte != 0; });
  return tensor;
}

llvm::Expected<Tensor> decodeRaw(const onnx::TensorProto &proto, ElementType type, Shape shape,
                                 int64_t count, std::shared_ptr<const void> owner) {
  const std::string &raw = proto.raw_data();
  if (static_cast<int64_t>(raw.size()) != rawBytes(type, count)) {
    return invalid(proto, "holds " + llvm::Twine(raw.size()) + " raw bytes, expected " +
                              llvm::Twine(rawBytes(type, count)) +
                              " for its shape; export the model again");
  }
  if (bitWidth(type) < 8) {
    Tensor result(type, shape);
    unpack(raw, result);
    return result;
  }
  if (owner) {
    return withCleanBools(Tensor::view(type, shape, raw.data(), std::move(owner)));
  }
  Tensor result(type, shape);
  std::memcpy(result.mutableRaw(), raw.data(), raw.size());
  return withCleanBools(std::move(result));
}

/// Copies a typed field with one element per entry.
template <typename T, typename Field>
void copyField(const Field &field, Tensor &result) {
  T *out = result.mutableData<T>();
  for (int64_t i = 0; i < result.size(); ++i) {
    out[i] = static_cast<T>(field[static_cast<int>(i)]);
  }
}

/// Copies complex numbers, whose field alternates real and imaginary parts.
template <typename T, typename Field>
void copyPairs(const Field &field, Tensor &result) {
  T *out = result.mutableData<T>();
  for (int64_t i = 0; i < 2 * result.size(); ++i) {
    out[i] = field[static_cast<int>(i)];
  }
}

/// Returns the number of entries in the typed field that a tensor of this type
/// uses.
int64_t fieldEntries(const onnx::TensorProto &proto, ElementType type) {
  switch (type) {
  case ElementType::F32:
    return proto.float_data_size();
  case ElementType::Complex64:
    return proto.float_data_size() / 2;
  case ElementType::F64:
    return proto.double_data_size();
  case ElementType::Complex128:
    return proto.double_data_size() / 2;
  case ElementType::I64:
    return proto.int64_data_size();
  case ElementType::U32:
  case ElementType::U64:
    return proto.uint64_data_size();
  case ElementType::String:
    return proto.string_data_size();
  default:
    return proto.int32_data_size();
  }
}

/// Unpacks narrow types, which store several elements in the low byte of an
/// int32 entry.
void unpackField(const onnx::TensorProto &proto, Tensor &result) {
  std::string bytes;
  for (int32_t entry : proto.int32_data()) {
    bytes.push_back(static_cast<char>(entry));
  }
  unpack(bytes, result);
}

void decodeField(const onnx::TensorProto &proto, Tensor &result) {
  switch (result.type()) {
  case ElementType::F32:
    return copyField<float>(proto.float_data(), result);
  case ElementType::F64:
    return copyField<double>(proto.double_data(), result);
  case ElementType::Complex64:
    return copyPairs<float>(proto.float_data(), result);
  case ElementType::Complex128:
    return copyPairs<double>(proto.double_data(), result);
  case ElementType::I64:
    return copyField<int64_t>(proto.int64_data(), result);
  case ElementType::U32:
    return copyField<uint32_t>(proto.uint64_data(), result);
  case ElementType::U64:
    return copyField<uint64_t>(proto.uint64_data(), result);
  case ElementType::I32:
    return copyField<int32_t>(proto.int32_data(), result);
  case ElementType::Bool:
    return copyField<bool>(proto.int32_data(), result);
  default:
    break;
  }
  switch (storageBytes(result.type()) * 8 == bitWidth(result.type()) ? bitWidth(result.type())
                                                                     : 0) {
  case 8:
    return copyField<uint8_t>(proto.int32_data(), result);
  case 16:
    return copyField<uint16_t>(proto.int32_data(), result);
  default:
    return unpackField(proto, result);
  }
}

llvm::Expected<Tensor> decodeTyped(const onnx::TensorProto &proto, ElementType type, Shape shape,
                                   int64_t count) {
  int64_t entries = fieldEntries(proto, type);
  int64_t expected = bitWidth(type) < 8 && bitWidth(type) > 0 ? rawBytes(type, count) : count;
  if (entries != expected) {
    return invalid(proto, "holds " + llvm::Twine(entries) + " elements, expected " +
                              llvm::Twine(expected) + " for its shape; export the model again");
  }
  Tensor result(type, shape);
  if (type == ElementType::String) {
    std::copy(proto.string_data().begin(), proto.string_data().end(),
              result.mutableStrings().begin());
  } else {
    decodeField(proto, result);
  }
  return result;
}

llvm::Expected<Tensor> decodeExternal(const onnx::TensorProto &proto, ElementType type, Shape shape,
                                      int64_t count, llvm::StringRef directory) {
  std::string location;
  int64_t offset = 0;
  int64_t length = rawBytes(type, count);
  for (const onnx::StringStringEntryProto &entry : proto.external_data()) {
    if (entry.key() == "location") {
      location = entry.value();
    } else if (entry.key() == "offset" &&
               (llvm::StringRef(entry.value()).getAsInteger(10, offset) || offset < 0)) {
      return invalid(proto, "has external data at offset '" + entry.value() +
                                "', expected a non-negative integer (bytes)");
    } else if (entry.key() == "length") {
      int64_t given = 0;
      if (llvm::StringRef(entry.value()).getAsInteger(10, given) || given != length) {
        return invalid(proto, "has external data of length '" + entry.value() + "', expected " +
                                  llvm::Twine(length) + " bytes for its shape");
      }
    }
  }
  bool isPacked = bitWidth(type) < 8;
  llvm::Expected<Tensor> mapped =
      mapExternalData(directory, location, offset, length, isPacked ? ElementType::U8 : type,
                      isPacked ? Shape{length} : shape);
  if (!mapped) {
    return withPrefix("tensor '" + llvm::Twine(proto.name()) + "' has ", mapped.takeError());
  }
  if (!isPacked) {
    return withCleanBools(std::move(*mapped));
  }
  Tensor result(type, shape);
  unpack(llvm::StringRef(mapped->data<char>(), length), result);
  return result;
}

} // namespace

llvm::Expected<Tensor> decodeTensor(const onnx::TensorProto &proto,
                                    std::shared_ptr<const void> owner, llvm::StringRef directory) {
  std::optional<ElementType> type = elementTypeFromOnnx(proto.data_type());
  if (!type || *type == ElementType::Undefined) {
    return invalid(proto, "has data type " + llvm::Twine(proto.data_type()) +
                              ", which is not an ONNX data type");
  }
  Shape shape(proto.dims().begin(), proto.dims().end());
  std::optional<int64_t> count = elementCount(shape);
  if (static_cast<int64_t>(shape.size()) > kMaxRank) {
    return invalid(proto, "has " + llvm::Twine(shape.size()) + " dimensions, expected at most " +
                              llvm::Twine(kMaxRank));
  }
  if (!count || !isWithinElementLimit(shape)) {
    return invalid(proto, "has a shape with a negative dimension or more than 2^48 elements");
  }
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (*type == ElementType::String) {
      return invalid(proto, "holds strings as external data, which ONNX does not allow");
    }
    return decodeExternal(proto, *type, shape, *count, directory);
  }
  if (proto.has_raw_data() && *type != ElementType::String &&
      (!proto.raw_data().empty() || fieldEntries(proto, *type) == 0)) {
    return decodeRaw(proto, *type, shape, *count, std::move(owner));
  }
  return decodeTyped(proto, *type, shape, *count);
}

} // namespace convoy::import
