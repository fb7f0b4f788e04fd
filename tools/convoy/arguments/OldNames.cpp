// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on the words of the command line, before the parser reads them. So every kind of flag has
// old names without code of its own.

#include "tools/convoy/arguments/OldNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::tool {
namespace {

using Arguments = std::vector<std::string>;

struct OldFlag {
  const char *verb, *was, *now; // without `now`, the value is an argument without a flag
};
struct OldValue {
  const char *verb, *flag, *was, *now;
};
struct OldVerb {
  const char *was, *now;
  bool (*isOld)(llvm::ArrayRef<std::string>); // of the arguments after the verb; null: always
};

/// Returns whether `convoy report` gets tuning records, or nothing to draw. Another file is for
/// another verb.
bool namesRecords(llvm::ArrayRef<std::string> arguments) {
  return llvm::all_of(arguments, [](llvm::StringRef argument) {
    if (argument.starts_with("-")) {
      return true;
    }
    auto file = llvm::MemoryBuffer::getFileSlice(argument, /*MapSize=*/16, /*Offset=*/0);
    bool isOther = file && (*file)->getBufferSize() == 16 &&
                   (*file)->getBuffer() != llvm::StringRef("SQLite format 3\0", 16);
    return !isOther;
  });
}

#define GET_OLD_NAMES
#include "tools/convoy/Options.inc"

Arguments wordsOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ');
  return Arguments(words.begin(), words.end());
}

class Renaming {
public:
  explicit Renaming(Arguments &arguments) : arguments(arguments) {}

  Arguments run() {
    renameVerb();
    for (const OldFlag &flag : kOldFlags) {
      if (isVerb(flag.verb)) {
        renameFlag(flag);
      }
    }
    for (const OldValue &value : kOldValues) {
      if (isVerb(value.verb)) {
        renameValue(value);
      }
    }
    return std::move(warnings);
  }

private:
  void warn(const std::string &was, const std::string &now) {
    std::string text = deprecation(was, now);
    if (!llvm::is_contained(warnings, text)) {
      warnings.push_back(text);
    }
  }

  void renameVerb() {
    for (const OldVerb &verb : kOldVerbs) {
      if (arguments.empty() || arguments.front() != verb.was ||
          (verb.isOld && !verb.isOld(llvm::ArrayRef(arguments).drop_front()))) {
        continue;
      }
      warn("`convoy " + std::string(verb.was) + "`", "`convoy " + std::string(verb.now) + "`");
      Arguments words = wordsOf(verb.now);
      arguments.erase(arguments.begin());
      arguments.insert(arguments.begin(), words.begin(), words.end());
      return;
    }
  }

  bool isVerb(llvm::StringRef verb) const {
    Arguments words = wordsOf(verb);
    return words.size() <= arguments.size() &&
           std::equal(words.begin(), words.end(), arguments.begin());
  }

  void renameFlag(const OldFlag &flag) {
    llvm::StringRef was = flag.was, now = flag.now;
    for (size_t i = 0; i < arguments.size(); ++i) {
      llvm::StringRef value = arguments[i];
      if (!value.consume_front(was)) {
        continue;
      }
      // "--old", "--old=VALUE", "-o", "-o=VALUE" or "-oVALUE".
      bool isShort = was.size() == 2;
      if (!value.empty() && !value.consume_front("=") && !isShort) {
        continue;
      }
      bool hasValue = arguments[i].size() > was.size();
      warn(was.str(), now.empty() ? "the value without the flag" : now.str());
      std::string kept = value.str();
      if (now.empty() && !hasValue) {
        arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(i--));
      } else {
        arguments[i] = now.empty() ? kept : now.str() + (hasValue ? "=" + kept : "");
      }
    }
  }

  void renameValue(const OldValue &value) {
    std::string flag = value.flag, joined = flag + "=" + value.was;
    for (size_t i = 0; i < arguments.size(); ++i) {
      bool isNext = i > 0 && arguments[i - 1] == flag && arguments[i] == value.was;
      if (isNext || arguments[i] == joined) {
        warn(joined, flag + "=" + value.now);
        arguments[i] = isNext ? value.now : flag + "=" + value.now;
      }
    }
  }

  Arguments &arguments;
  Arguments warnings;
};

} // namespace

std::string deprecation(const std::string &was, const std::string &now) {
  return "warning: " + was + " is deprecated and ends with version 0.4; write " + now + "\n";
}

std::vector<std::string> replaceOldNames(std::vector<std::string> &arguments) {
  return Renaming(arguments).run();
}

} // namespace convoy::tool
