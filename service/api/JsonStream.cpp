// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the parts of a chunked answer into lines.

#include "service/api/JsonStream.h"
#include "service/api/ErrorJson.h"

namespace convoy::service {
namespace {

// The text of an error; a longer body is not from this service.
constexpr size_t kMostErrorBytes = 65536;

class StreamReader {
public:
  StreamReader(StreamResult &result, llvm::function_ref<bool(llvm::StringRef line)> take)
      : result(result), take(take) {}

  bool receive(llvm::StringRef data) {
    if (result.status != 200) {
      result.text += data;
      return result.text.size() < kMostErrorBytes;
    }
    rest += data;
    size_t begin = 0;
    for (size_t end = 0; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (!takeLine(llvm::StringRef(rest).slice(begin, end))) {
        return false;
      }
    }
    rest.erase(0, begin);
    return true;
  }

private:
  bool takeLine(llvm::StringRef line) {
    if (isErrorLine(line)) {
      result.end = StreamEnd::ErrorLine;
      result.text = line.str();
      return false;
    }
    result.hasLines = true;
    if (!take(line)) {
      result.end = StreamEnd::Stopped;
      return false;
    }
    return true;
  }

  StreamResult &result;
  llvm::function_ref<bool(llvm::StringRef line)> take;
  std::string rest; // a line that has not ended
};

} // namespace

StreamResult readStream(httplib::Client &client, const std::string &path,
                        llvm::function_ref<bool(llvm::StringRef line)> take) {
  StreamResult result;
  StreamReader reader(result, take);
  httplib::Result answer = client.Get(
      path,
      [&](const httplib::Response &response) {
        result.status = response.status;
        return true;
      },
      [&](const char *data, size_t length) { return reader.receive({data, length}); });
  result.error = answer.error();
  bool isOpen = result.end == StreamEnd::Broken;
  if (isOpen && result.status != 0 && result.status != 200) {
    result.end = StreamEnd::Refused;
  } else if (isOpen && answer) {
    result.end = StreamEnd::Complete;
  }
  return result;
}

} // namespace convoy::service
