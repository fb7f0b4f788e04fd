// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints <model>.mk, which builds emitted C with GNU make and the flags of its target.
// WriteSource.cpp writes the file. The text contains no path of this machine: names are relative to
// the Makefile.

#include "Codegen/C/Source.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace convoy::codegen {
namespace {

/// Returns a word of a command of a rule: quoted for the shell, with `$` doubled for make.
std::string commandWord(llvm::StringRef word) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("-_./=:+,@%").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, isPlain)) {
    return word.str();
  }
  std::string text = "'";
  for (char c : word) {
    text += c == '\'' ? "'\\''" : c == '$' ? "$$" : std::string(1, c);
  }
  return text + "'";
}

/// Returns the words of a command as the value of a variable, in which `#` begins a comment.
std::string variableValue(llvm::ArrayRef<std::string> words) {
  std::string text;
  for (llvm::StringRef word : words) {
    text += text.empty() ? "" : " ";
    for (char c : commandWord(word)) {
      text += c == '#' ? "\\#" : std::string(1, c);
    }
  }
  return text;
}

/// Returns a file name as a prerequisite of a rule.
std::string prerequisite(llvm::StringRef name) {
  std::string text;
  for (char c : name) {
    bool isSpecial = llvm::StringRef(" #:%\\").contains(c);
    text += c == '$' ? "$$" : isSpecial ? std::string("\\") + c : std::string(1, c);
  }
  return text;
}

/// The text for one model.
class Makefile {
public:
  Makefile(const SourceFiles &files, const SourceOptions &options)
      : files(files), options(options), command(options.target.sourceCompiler) {
    if (command.empty()) {
      command = {"cc", "-O3"};
    }
  }

  std::string print() {
    addHeader();
    addVariables();
    addRule("$M.o", "$M.c", " $(M_DIR)$M.h");
    if (!files.weights.empty()) {
      addRule("$M_weights.o", "$M_weights.S", " $(M_DIR)$M.weights");
    }
    for (auto [index, source] : llvm::enumerate(files.customSources)) {
      addCustomRule(std::to_string(index), llvm::sys::path::filename(source));
    }
    if (hasTest) {
      add("\n# Exits with 0 if the model computes the outputs of the reference.\n"
          "$(M_DIR)$M_test: $(M_DIR)$M_test.c $(M_DIR)$M.h $(M_OBJECTS)\n"
          "\t$(M_COMPILE) -o $@ $(M_DIR)$M_test.c $(M_OBJECTS) $(M_LDLIBS)\n");
    }
    return std::move(text);
  }

private:
  /// Adds lines in which `$M` and the `M` of `$(M_NAME)` are the name of the model.
  void add(llvm::StringRef lines) {
    while (!lines.empty()) {
      bool isReference = lines.consume_front("$(M_");
      bool isName = !isReference && lines.consume_front("$M");
      text += isReference ? "$(" + options.model + "_"
              : isName    ? options.model
                          : lines.take_front().str();
      lines = isReference || isName ? lines : lines.drop_front();
    }
  }

  void addHeader() {
    add("# Builds the model '$M' for " + options.target.name +
        " with GNU make:\n"
        "#\n"
        "#   make -C FOLDER -f $M.mk" +
        "            compiles the model to $(M_OBJECTS)" +
        (hasTest ? ", and builds $M_test\n" : "\n") +
        "#\n"
        "# In another Makefile, write `include FOLDER/$M.mk` after the first target, and link\n"
        "# $(M_OBJECTS) $(M_LDLIBS). $M_CC=... selects another compiler.\n\n");
  }

  void addVariables() {
    std::vector<std::string> flags(command.begin() + 1, command.end());
    add("$M_CC ?= ");
    text += variableValue({command.front()});
    add("\n$M_CFLAGS ?= ");
    text += variableValue(flags);
    add("\n$M_LDLIBS ?= -lm\n");
    if (files.interface.threads > 1) {
      add("# Without -fopenmp, one thread runs the same code.\n$M_OPENMP ?= -fopenmp\n");
    }
    add("$M_DIR := $(dir $(lastword $(MAKEFILE_LIST)))\n");
    std::string objects = "$(M_DIR)$M.o";
    if (!files.weights.empty()) {
      objects += " $(M_DIR)$M_weights.o";
    }
    for (size_t i = 0; i < files.customSources.size(); ++i) {
      objects += " $(M_DIR)$M_custom_" + std::to_string(i) + ".o";
    }
    add("$M_OBJECTS := " + objects + "\n");
    add(std::string("$M_COMPILE = $(M_CC) -std=c11 $(M_CFLAGS) ") +
        (files.interface.threads > 1 ? "$(M_OPENMP) " : "") + "-I$(M_DIR)\n\n");
    add(".PHONY: $M_all\n$M_all: $(M_OBJECTS)");
    add(hasTest ? " $(M_DIR)$M_test\n" : "\n");
  }

  /// Adds a rule that compiles one file of the model.
  void addRule(llvm::StringRef object, llvm::StringRef source, llvm::StringRef otherFiles) {
    add(("\n$(M_DIR)" + object + ": $(M_DIR)" + source + otherFiles +
         "\n\t$(M_COMPILE) -c -o $@ $(M_DIR)" + source + "\n")
            .str());
  }

  /// Adds a rule that compiles the C file of a custom op, without contraction, as the reference
  /// calls it. The file name is arbitrary.
  void addCustomRule(const std::string &index, llvm::StringRef name) {
    add("\n$(M_DIR)$M_custom_" + index + ".o: $(M_DIR)");
    text += prerequisite(name);
    add("\n\t$(M_COMPILE) -ffp-contract=off -c -o $@ $(M_DIR)");
    text += commandWord(name) + "\n";
  }

  const SourceFiles &files;
  const SourceOptions &options;
  /// A program for a microcontroller also needs start-up code.
  const bool hasTest = !files.test.empty() && !options.target.toolchain;
  std::vector<std::string> command;
  std::string text;
};

} // namespace

std::string makefileText(const SourceFiles &files, const SourceOptions &options) {
  return Makefile(files, options).print();
}

} // namespace convoy::codegen
