// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of flags, on top of CLI11.

#include "tools/convoy/arguments/FlagKinds.h"
#include "Support/NearestName.h"
#include "tools/convoy/arguments/HelpText.h"
#include "tools/convoy/arguments/OldNames.h"
#include "tools/convoy/arguments/Quantities.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tool {
namespace {

constexpr char kUrlForm[] = "https://HOST:PORT, several separated by commas";

/// "--output" of "-o,--output".
std::string nameOf(llvm::StringRef names) { return names.substr(names.find("--")).str(); }

/// "a, b or c".
std::string alternatives(llvm::ArrayRef<std::string> words) {
  if (words.size() == 1) {
    return words.front();
  }
  return llvm::join(words.drop_back(), ", ") + " or " + words.back();
}

std::string rangeText(FlagLimits range) {
  return range.most == INT64_MAX
             ? "of at least " + std::to_string(range.least)
             : "from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

bool isIn(llvm::StringRef text, FlagLimits range, int64_t &value) {
  return !text.getAsInteger(10, value) && value >= range.least && value <= range.most;
}

/// Calls `read` for each part of a list; `read` returns whether it accepts the part.
void readList(const std::string &flag, const std::string &text, const std::string &expected,
              llvm::function_ref<bool(llvm::StringRef)> read) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  for (llvm::StringRef part : parts) {
    if (!read(part.trim())) {
      refuseValue(flag, expected, text);
    }
  }
}

} // namespace

bool areUrls(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  return llvm::all_of(parts, [](llvm::StringRef url) {
    auto [host, port] = url.rsplit(':');
    unsigned number = 0;
    return host.consume_front("https://") && !host.empty() && !host.contains('/') &&
           !port.rtrim('/').getAsInteger(10, number) && number > 0 && number < 65536;
  });
}

void refuseValue(const std::string &flag, const std::string &expected, const std::string &got) {
  throw CLI::ValidationError(flag, "expected " + expected + ", got '" + got + "'");
}

CLI::Option *Flags::value(const char *names, std::function<void(const std::string &)> read,
                          const char *type, const char *help) {
  return app.add_option_function<std::string>(names, read, help)->type_name(type)->group(group);
}

CLI::Option *Flags::text(const char *names, std::string &value, const char *type,
                         const char *help) {
  return this->value(names, [&value](const std::string &text) { value = text; }, type, help);
}

CLI::Option *Flags::texts(const char *names, std::vector<std::string> &values, const char *type,
                          const char *help) {
  // One value per flag, so that a positional argument may follow.
  return app.add_option(names, values, help)
      ->expected(1)
      ->take_all()
      ->type_name(type)
      ->group(group);
}

CLI::Option *Flags::pair(const char *names, std::vector<std::string> &values, const char *type,
                         const char *help) {
  return app.add_option(names, values, help)->expected(2)->type_name(type)->group(group);
}

CLI::Option *Flags::word(const char *names, std::vector<std::string> words,
                         std::function<void(size_t)> set, const char *help, const char *type) {
  std::string shown = *type ? type : llvm::join(words, "|");
  auto read = [set = std::move(set), words = std::move(words),
               flag = nameOf(names)](const std::string &text) {
    auto found = llvm::find(words, text);
    if (found == words.end()) {
      std::string nearest = nearestName(text, words);
      throw CLI::ValidationError(flag,
                                 "expected " + alternatives(words) + ", got '" + text + "'" +
                                     (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
    }
    set(found - words.begin());
  };
  return this->value(names, read, shown.c_str(), help);
}

CLI::Option *Flags::name(const char *names, std::string &value, std::vector<std::string> known,
                         const char *type, const char *help) {
  return word(names, known, [&value, known](size_t i) { value = known[i]; }, help, type);
}

CLI::Option *Flags::integer(const char *names, FlagLimits range, const char *help,
                            std::function<void(int64_t)> set) {
  auto read = [set = std::move(set), range, flag = nameOf(names)](const std::string &text) {
    int64_t value = 0;
    if (!isIn(text, range, value)) {
      refuseValue(flag, "an integer " + rangeText(range), text);
    }
    set(value);
  };
  return this->value(names, read, "N", help);
}

CLI::Option *Flags::counts(const char *names, std::vector<int64_t> &values, FlagLimits range,
                           const char *help) {
  auto read = [&values, range, flag = nameOf(names)](const std::string &text) {
    values.clear();
    readList(flag, text, "integers " + rangeText(range) + " such as 1,2",
             [&](llvm::StringRef part) { return isIn(part, range, values.emplace_back()); });
  };
  return value(names, read, "N[,N..]", help);
}

CLI::Option *Flags::numbers(const char *names, std::vector<double> &values, const char *help) {
  auto read = [&values, flag = nameOf(names)](const std::string &text) {
    readList(flag, text, "a number or a list of numbers such as 0.5,0.5,0.5",
             [&](llvm::StringRef part) { return !part.getAsDouble(values.emplace_back()); });
  };
  return value(names, read, "X[,X..]", help);
}

CLI::Option *Flags::duration(const char *names, double &value, DurationKind kind,
                             const char *help) {
  auto read = [&value, kind, &warnings = warnings, flag = nameOf(names)](const std::string &text) {
    std::optional<double> seconds = parseDuration(text, kind.plain);
    if (!seconds || (*seconds <= 0 && !kind.isZeroAllowed)) {
      refuseValue(flag, "a duration such as 25ms, 10s or 10m", text);
    }
    if (*seconds > 0 && !llvm::isAlpha(text.back())) {
      warnings.push_back(deprecation(flag + " " + text + " without a unit",
                                     flag + " " + text + unitOf(kind.plain)));
    }
    value = *seconds / kind.stored;
  };
  return this->value(names, read, "DURATION", help);
}

CLI::Option *Flags::sizes(const char *names, std::vector<std::string> &values, const char *help) {
  auto read = [&values, flag = nameOf(names)](const std::string &text) {
    readList(flag, text, "sizes such as 512K, 1M or 16KiB, separated by commas",
             [&](llvm::StringRef part) {
               std::optional<int64_t> bytes = parseSize(part);
               values.push_back(bytes ? sizeText(*bytes) : "");
               return bytes.has_value();
             });
  };
  return value(names, read, "SIZE[,SIZE..]", help);
}

CLI::Option *Flags::percent(const char *names, double &value, const char *help) {
  auto read = [&value, flag = nameOf(names)](const std::string &text) {
    std::optional<double> share = parsePercent(text);
    if (!share) {
      refuseValue(flag, "a percentage such as 0.5%", text);
    }
    value = *share;
  };
  return this->value(names, read, "X%", help);
}

CLI::Option *Flags::size(const char *names, int64_t &value, const char *help) {
  auto read = [&value, flag = nameOf(names)](const std::string &text) {
    std::optional<int64_t> bytes = parseSize(text);
    if (!bytes || *bytes == 0) {
      refuseValue(flag, "a size such as 512K, 1M or 16KiB", text);
    }
    value = *bytes;
  };
  return this->value(names, read, "SIZE", help);
}

CLI::Option *Flags::words(const char *names, std::vector<std::string> &values, const char *type,
                          const char *help) {
  auto read = [&values, flag = nameOf(names)](const std::string &text) {
    values.clear();
    readList(flag, text, "names separated by commas", [&](llvm::StringRef part) {
      values.push_back(part.str());
      return !part.empty();
    });
  };
  return value(names, read, type, help);
}

CLI::Option *Flags::urls(const char *names, std::string &value, const char *help) {
  auto read = [&value, flag = nameOf(names)](const std::string &text) {
    if (!areUrls(text)) {
      refuseValue(flag, kUrlForm, text);
    }
    value = text;
  };
  return this->value(names, read, "URL[,URL..]", help);
}

CLI::Option *Flags::plainName(const char *names, std::string &value, const char *type,
                              const char *help) {
  auto read = [&value, flag = nameOf(names)](const std::string &text) {
    bool isPlain = !text.empty() && llvm::all_of(text, [](char c) {
      return llvm::isAlnum(c) || llvm::StringRef("-._").contains(c);
    });
    if (!isPlain) {
      refuseValue(flag, "letters, digits, '-', '.' and '_'", text);
    }
    value = text;
  };
  return this->value(names, read, type, help);
}

CLI::Option *Flags::flag(const char *names, bool &value, const char *help) {
  return app.add_flag(names, value, help)->group(group);
}

void Flags::json(const char *names, JsonFlag &json, const char *help) {
  // A flag with a value after "=" only, so that an argument may follow.
  app.add_flag(std::string(names) + "{-}", json.to, help)->option_text("[=FILE]")->group(group);
}

void Flags::goal(const char *names, std::string &target, std::vector<std::string> *targets,
                 const char *help) {
  const std::vector<std::string> goals = {"latency", "memory"};
  auto set = [&target, targets, goals](size_t i) {
    std::string parameter = ":optimize=" + goals[i];
    target += parameter;
    for (size_t k = 0; targets && k < targets->size(); ++k) {
      (*targets)[k] += parameter;
    }
  };
  word(names, goals, set, help);
}

void Flags::resize(const char *names, io::Resize &value, const char *help) {
  auto read = [&value, flag = nameOf(names)](const std::string &text) {
    std::optional<io::Resize> resize = io::parseResize(text);
    if (!resize) {
      refuseValue(flag, "a short side such as 256, a size such as 320x240, none or auto", text);
    }
    value = *resize;
  };
  this->value(names, read, "SIZE", help);
}

void Flags::positional(const char *name, std::string &value, const char *type, const char *help,
                       bool isRequired) {
  app.add_option(name, value, help)->required(isRequired)->type_name(type);
}

void Flags::positionals(const char *name, std::vector<std::string> &values, const char *type,
                        const char *help, bool isRequired) {
  app.add_option(name, values, help)->required(isRequired)->type_name(type);
}

} // namespace convoy::tool
