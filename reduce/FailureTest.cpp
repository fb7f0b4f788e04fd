// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs `convoy check`, `compile` or `run`, and reads the failure from the JSON of `check`, from the
// exit code and the errors, or from the CPU time.

#include "reduce/FailureTest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

namespace convoy::reduce {
namespace {

constexpr int kBugExitCode = 3;

std::string firstError(llvm::StringRef errors) {
  llvm::SmallVector<llvm::StringRef> lines;
  errors.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (line.starts_with("error:")) {
      return line.str();
    }
  }
  return "";
}

std::string differenceText(const llvm::json::Object &row) {
  return row.getString("target").value_or("").str() + " differs from the reference";
}

/// Reads the JSON of `convoy check`: the first finding, or the first wrong output.
Symptom differenceOf(const CommandResult &result) {
  Symptom symptom;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(result.output);
  if (!value) {
    llvm::consumeError(value.takeError());
    return symptom;
  }
  const llvm::json::Object *report = value->getAsObject();
  const llvm::json::Array *outputs = report ? report->getArray("outputs") : nullptr;
  if (!outputs || report->getBoolean("passed").value_or(true)) {
    return symptom;
  }
  if (const llvm::json::Array *findings = report->getArray("first_wrong");
      findings && !findings->empty()) {
    const llvm::json::Object &finding = *findings->front().getAsObject();
    std::string pass = finding.getString("pass").value_or("").str();
    symptom.kind = differenceText(finding) + (pass.empty() ? "" : " after " + pass);
    symptom.nodes = nodeNames(finding.getString("op").value_or(""));
    return symptom;
  }
  for (const llvm::json::Value &output : *outputs) {
    const llvm::json::Object *row = output.getAsObject();
    if (row && !row->getBoolean("right").value_or(true)) {
      symptom.kind = differenceText(*row);
      return symptom;
    }
  }
  return symptom;
}

Symptom crashOf(const CommandResult &result, const std::string &message) {
  Symptom symptom;
  bool isFailed = result.signal != 0 || result.exitCode != 0;
  if (!message.empty()) {
    bool isShown = llvm::StringRef(result.errors).contains(message) ||
                   llvm::StringRef(result.output).contains(message);
    symptom.kind = isFailed && isShown ? "message" : "";
  } else if (result.isOverTime) {
    symptom.kind = "exceeds the limit of time";
  } else if (result.signal != 0) {
    symptom.kind = "signal " + std::to_string(result.signal);
  } else if (result.exitCode == kBugExitCode) {
    symptom.kind = "exit code 3: " + errorKind(result.errors);
  }
  if (symptom.fails()) {
    symptom.nodes = nodeNames(firstError(result.errors));
  }
  return symptom;
}

} // namespace

std::string errorKind(llvm::StringRef errors) {
  std::string line = firstError(errors), kind;
  bool isQuoted = false;
  for (char c : llvm::StringRef(line).split(';').first) {
    isQuoted ^= c == '\'';
    if (!isQuoted && c != '\'' && !llvm::isDigit(c)) {
      kind += c;
    }
  }
  return kind;
}

std::vector<std::string> nodeNames(llvm::StringRef text) {
  std::vector<std::string> names;
  for (size_t begin = text.find('\''); begin != llvm::StringRef::npos;) {
    size_t end = text.find("' (", begin + 1);
    if (end == llvm::StringRef::npos) {
      break;
    }
    names.push_back(text.slice(begin + 1, end).str());
    begin = text.find('\'', end + 1);
  }
  return names;
}

std::vector<std::string> FailureTest::command(const std::string &model,
                                              const std::vector<std::string> &inputs) const {
  std::vector<std::string> words = {"convoy", verb, model};
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  if (hasInputs()) {
    words.insert(words.end(), inputs.begin(), inputs.end());
  }
  return words;
}

Symptom FailureTest::symptomOf(const CommandResult &result) const {
  Symptom symptom;
  switch (options.goal) {
  case Goal::Check:
    symptom = differenceOf(result);
    break;
  case Goal::Crash:
    symptom = crashOf(result, options.message);
    break;
  case Goal::Slow:
    symptom.kind = result.exitCode == 0 ? "slow" : "";
    break;
  }
  symptom.cpuSeconds = result.cpuSeconds;
  symptom.problem = symptom.fails() ? "" : firstError(result.errors);
  return symptom;
}

llvm::Expected<Symptom> FailureTest::runVerb(const std::string &model,
                                             const std::vector<std::string> &inputs) {
  std::vector<std::string> words = command(model, inputs);
  words.front() = options.program;
  if (verb == "compile") {
    words.push_back("--output=" + options.folder + "/compiled");
  } else if (verb == "check") {
    words.insert(words.end(), {"--json", "--quiet"});
  } else {
    words.push_back("--cache=off");
  }
  llvm::Expected<CommandResult> result = runCommand(words, options.folder, options.limits);
  if (!result) {
    return result.takeError();
  }
  return symptomOf(*result);
}

llvm::Expected<Symptom> FailureTest::testOriginal(const std::string &model,
                                                  const std::vector<std::string> &inputs) {
  std::vector<const char *> verbs = {"compile"};
  if (options.goal == Goal::Check) {
    verbs = {"check"};
  } else if (options.goal == Goal::Crash) {
    verbs.push_back("run"); // a model that compiles may crash when it runs
  }
  for (const char *candidate : verbs) {
    verb = candidate;
    llvm::Expected<Symptom> symptom = runVerb(model, inputs);
    if (!symptom) {
      return symptom.takeError();
    }
    original = std::move(*symptom);
    if (original.fails()) {
      break;
    }
  }
  return original;
}

llvm::Expected<Symptom> FailureTest::test(const std::string &model,
                                          const std::vector<std::string> &inputs) {
  return runVerb(model, inputs);
}

bool FailureTest::isSame(const Symptom &symptom) const {
  if (options.goal == Goal::Slow) {
    return symptom.fails() && symptom.cpuSeconds >= options.slowShare * original.cpuSeconds;
  }
  return symptom.kind == original.kind;
}

void FailureTest::dropFlags(const std::set<std::string> &names) {
  llvm::erase_if(options.flags, [&](const std::string &flag) {
    return names.count(llvm::StringRef(flag).split('=').first.str()) > 0;
  });
}

} // namespace convoy::reduce
