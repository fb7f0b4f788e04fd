// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts protobuf data files to values and back. Import decodes the tensors.

#include "io/OnnxData.h"
#include "Import/OnnxProto.h"
#include "Import/TensorProto.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "llvm/Support/MathExtras.h"
#include <onnx/onnx-data.pb.h>

namespace convoy::io {
namespace {

template <typename Proto>
llvm::Expected<std::shared_ptr<Proto>> parse(llvm::StringRef path, llvm::StringRef what) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  google::protobuf::LogSilencer silencer;
  auto proto = std::make_shared<Proto>();
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() > INT32_MAX ||
      !proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return fileError("'" + path + "' is not an ONNX " + what + " in protobuf");
  }
  return proto;
}

llvm::Expected<Datum> decode(const onnx::TensorProto &proto, std::shared_ptr<const void> owner) {
  llvm::Expected<Tensor> tensor = import::decodeTensor(proto, std::move(owner), "");
  return tensor ? llvm::Expected<Datum>(Datum(std::move(*tensor))) : tensor.takeError();
}

llvm::Expected<Datum> decode(const onnx::OptionalProto &proto, std::shared_ptr<const void> owner);

template <typename Values>
llvm::Error append(std::vector<Datum> &elements, const Values &values,
                   const std::shared_ptr<const void> &owner);

llvm::Expected<Datum> decode(const onnx::SequenceProto &proto, std::shared_ptr<const void> owner) {
  std::vector<Datum> elements;
  if (llvm::Error error = append(elements, proto.tensor_values(), owner)) {
    return error;
  }
  if (llvm::Error error = append(elements, proto.sequence_values(), owner)) {
    return error;
  }
  if (llvm::Error error = append(elements, proto.optional_values(), owner)) {
    return error;
  }
  return Datum::sequence(std::move(elements));
}

template <typename Values>
llvm::Error append(std::vector<Datum> &elements, const Values &values,
                   const std::shared_ptr<const void> &owner) {
  for (const auto &value : values) {
    llvm::Expected<Datum> element = decode(value, owner);
    if (!element) {
      return element.takeError();
    }
    elements.push_back(std::move(*element));
  }
  return llvm::Error::success();
}

llvm::Expected<Datum> decode(const onnx::OptionalProto &proto, std::shared_ptr<const void> owner) {
  std::vector<Datum> elements;
  llvm::Expected<Datum> element = Datum();
  if (proto.elem_type() == onnx::OptionalProto::TENSOR) {
    element = decode(proto.tensor_value(), std::move(owner));
  } else if (proto.elem_type() == onnx::OptionalProto::SEQUENCE) {
    element = decode(proto.sequence_value(), std::move(owner));
  } else if (proto.elem_type() == onnx::OptionalProto::OPTIONAL) {
    element = decode(proto.optional_value(), std::move(owner));
  } else {
    return Datum::optional({});
  }
  if (!element) {
    return element.takeError();
  }
  elements.push_back(std::move(*element));
  return Datum::optional(std::move(elements));
}

template <typename Proto>
llvm::Expected<Datum> read(llvm::StringRef path, llvm::StringRef what) {
  llvm::Expected<std::shared_ptr<Proto>> proto = parse<Proto>(path, what);
  if (!proto) {
    return proto.takeError();
  }
  llvm::Expected<Datum> datum = decode(**proto, *proto);
  return datum ? std::move(datum) : withPrefix("'" + path + "': ", datum.takeError());
}

} // namespace

llvm::Expected<Datum> readOnnxData(llvm::StringRef path, const onnx::TypeProto &type) {
  if (type.has_sequence_type()) {
    return read<onnx::SequenceProto>(path, "sequence");
  }
  if (type.has_optional_type()) {
    return read<onnx::OptionalProto>(path, "optional");
  }
  return read<onnx::TensorProto>(path, "tensor");
}

llvm::Expected<Tensor> readOnnxTensor(llvm::StringRef path) {
  llvm::Expected<Datum> datum = read<onnx::TensorProto>(path, "tensor");
  return datum ? llvm::Expected<Tensor>(std::move(datum->tensor)) : datum.takeError();
}

/// Packs elements of 2 or 4 bits, low bits first, in ONNX's format.
static std::string packed(const Tensor &tensor) {
  int64_t bits = bitWidth(tensor.type());
  int64_t perByte = 8 / bits;
  std::string bytes(llvm::divideCeil(tensor.size(), perByte), '\0');
  const uint8_t *elements = tensor.data<uint8_t>();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int value = elements[i] & ((1 << bits) - 1);
    bytes[i / perByte] = static_cast<char>(bytes[i / perByte] | value << (i % perByte * bits));
  }
  return bytes;
}

llvm::Error writeOnnxTensor(llvm::StringRef path, llvm::StringRef name, const Tensor &tensor) {
  onnx::TensorProto proto;
  proto.set_name(name.str());
  proto.set_data_type(static_cast<int32_t>(tensor.type()));
  for (int64_t dim : tensor.shape()) {
    proto.add_dims(dim);
  }
  if (tensor.type() == ElementType::String) {
    for (const std::string &text : tensor.strings()) {
      proto.add_string_data(text);
    }
  } else if (bitWidth(tensor.type()) < 8) {
    proto.set_raw_data(packed(tensor));
  } else {
    proto.set_raw_data(tensor.raw(), tensor.bytes());
  }
  return writeFile(path, proto.SerializeAsString());
}

} // namespace convoy::io
