// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the JSON reader of the tuning service, as each of its requests, and to
// the reader of URL parameters. An accepted message must be the same when it is written and read
// again.

#include "service/api/ApiJson.h"
#include "tests/fuzz/Target.h"
#include "tuning.pb.h"
#include <google/protobuf/descriptor.h>

using namespace convoy;
using namespace convoy::service;
using google::protobuf::Message;

static std::unique_ptr<Message> makeMessage(const google::protobuf::Descriptor *type) {
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

static void checkJson(llvm::StringRef text, UnknownFields unknown,
                      const google::protobuf::Descriptor *type) {
  std::unique_ptr<Message> message = makeMessage(type), again = makeMessage(type);
  if (llvm::Error error = readJson(text, unknown, *message)) {
    return fuzz::expectText(std::move(error));
  }
  std::string written = toJson(*message);
  if (llvm::Error error = readJson(written, UnknownFields::Refuse, *again)) {
    fuzz::reportFinding("the writer's message is refused: " + llvm::toString(std::move(error)) +
                        "\n" + written);
  }
  fuzz::expectEqual(written, toJson(*again), "a message");
}

static void checkParameters(llvm::StringRef text, const google::protobuf::Descriptor *type) {
  Parameters parameters;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '&');
  for (llvm::StringRef part : parts) {
    parameters.emplace(part.split('=').first, part.split('=').second);
  }
  fuzz::expectText(readParameters(parameters, *makeMessage(type)));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const google::protobuf::FileDescriptor *file = tuning::v1::JobSpec::descriptor()->file();
  const auto *type = file->message_type(data[0] % file->message_type_count());
  llvm::StringRef text = fuzz::textOf(data + 1, size - 1);
  checkJson(text, UnknownFields::Refuse, type);
  checkJson(text, UnknownFields::Ignore, type);
  checkParameters(text, type);
  return 0;
}
