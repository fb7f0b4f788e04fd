// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the fields of a serialized model by its descriptor and creates no messages. The parser
// checks the bytes afterwards; this walk only has to stop early for a file whose messages are much
// larger in memory than in the file.

#include "Import/DecodedSize.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/DenseMap.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace convoy::import {
namespace {

namespace protobuf = google::protobuf;
using Wire = protobuf::internal::WireFormatLite;

// The reader refuses deeper messages.
constexpr int kMostDepth = 100;
// A string object with its pointer in a list, or an unknown field.
constexpr int64_t kTextBytes = 48;
// The pointer of a message in a list, and what the allocator adds.
constexpr int64_t kEntryBytes = 24;

class DecodedSize {
public:
  DecodedSize(protobuf::io::CodedInputStream &stream, int64_t limit)
      : stream(stream), limit(limit) {}

  /// Counts the fields up to the end of the message. Returns false at invalid bytes and above the
  /// limit.
  bool addMessage(const protobuf::Descriptor *type, int depth) {
    while (uint32_t tag = stream.ReadTag()) {
      const protobuf::FieldDescriptor *field =
          type->FindFieldByNumber(Wire::GetTagFieldNumber(tag));
      bool isRead = Wire::GetTagWireType(tag) == Wire::WIRETYPE_LENGTH_DELIMITED
                        ? addLengthDelimited(field, depth)
                        : addBytes(kTextBytes) && Wire::SkipField(&stream, tag);
      if (!isRead) {
        return false;
      }
    }
    return true;
  }

  int64_t bytes() const { return total; }

private:
  bool addLengthDelimited(const protobuf::FieldDescriptor *field, int depth) {
    uint32_t length = 0;
    if (!stream.ReadVarint32(&length) || length > INT32_MAX) {
      return false;
    }
    bool isMessage = field && field->type() == protobuf::FieldDescriptor::TYPE_MESSAGE;
    if (isMessage && depth < kMostDepth) {
      const protobuf::Descriptor *type = field->message_type();
      auto end = stream.PushLimit(static_cast<int>(length));
      bool isRead = addBytes(messageBytes(type)) && addMessage(type, depth + 1);
      stream.PopLimit(end);
      return isRead;
    }
    bool isText = !field || field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_STRING;
    // A packed list of integers has at least one byte per element.
    int64_t size = isText ? kTextBytes : int64_t(length) * int64_t(sizeof(int64_t));
    return addBytes(size) && stream.Skip(static_cast<int>(length));
  }

  bool addBytes(int64_t bytes) {
    total += bytes;
    return total <= limit;
  }

  int64_t messageBytes(const protobuf::Descriptor *type) {
    int64_t &known = sizes[type];
    if (known == 0) {
      const protobuf::Message *empty =
          protobuf::MessageFactory::generated_factory()->GetPrototype(type);
      known = kEntryBytes + static_cast<int64_t>(empty->SpaceUsedLong());
    }
    return known;
  }

  protobuf::io::CodedInputStream &stream;
  int64_t limit;
  int64_t total = 0;
  llvm::DenseMap<const protobuf::Descriptor *, int64_t> sizes;
};

} // namespace

int64_t decodedBytes(llvm::StringRef model, int64_t limit) {
  protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(model.data()),
                                        static_cast<int>(model.size()));
  DecodedSize size(stream, limit);
  size.addMessage(onnx::ModelProto::descriptor(), /*depth=*/0);
  return size.bytes();
}

} // namespace convoy::import
