// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static function has the name "file.c:name" in gcc's files and "name" elsewhere. Two static
// functions with one name become one function with the larger frame and the calls of both, so the
// bound stays a bound.

#include "Driver/Backends/Micro/StackBound.h"
#include "Support/TypedError.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Regex.h"

using llvm::createStringError;
using llvm::StringRef;

namespace convoy::driver {
namespace {

/// The name of calls through pointers in gcc's files.
constexpr StringRef kIndirectCall = "__indirect_call";

StringRef withoutFile(StringRef title) {
  size_t at = title.rfind(':');
  return at == StringRef::npos ? title : title.drop_front(at + 1);
}

bool isCall(uint16_t machine, uint64_t type) {
  using namespace llvm::ELF;
  if (machine == EM_ARM) {
    return type == R_ARM_THM_CALL || type == R_ARM_THM_JUMP24 || type == R_ARM_THM_JUMP19 ||
           type == R_ARM_CALL || type == R_ARM_JUMP24;
  }
  return type == R_RISCV_CALL || type == R_RISCV_CALL_PLT || type == R_RISCV_JAL;
}

/// The functions of a section by their addresses.
using FunctionsOfSection = std::map<uint64_t, std::string>;

llvm::Expected<std::map<uint64_t, FunctionsOfSection>>
readFunctions(const llvm::object::ObjectFile &object) {
  std::map<uint64_t, FunctionsOfSection> functions;
  for (const llvm::object::SymbolRef &symbol : object.symbols()) {
    auto type = symbol.getType();
    auto name = symbol.getName();
    auto address = symbol.getValue();
    auto section = symbol.getSection();
    if (!type || !name || !address || !section) {
      return llvm::joinErrors(llvm::joinErrors(type.takeError(), name.takeError()),
                              llvm::joinErrors(address.takeError(), section.takeError()));
    }
    if (*type == llvm::object::SymbolRef::ST_Function && *section != object.section_end()) {
      // Thumb functions have odd values.
      functions[(*section)->getIndex()][*address & ~uint64_t(1)] = name->str();
    }
  }
  return functions;
}

/// Walks the graph from a root. Keeps the bound of each visited function.
class Walk {
public:
  Walk(const CallGraph &graph, const std::map<std::string, int64_t> &library)
      : graph(graph), library(library) {}

  llvm::Expected<int64_t> visit(const std::string &name) {
    if (auto found = bounds.find(name); found != bounds.end()) {
      return found->second.bytes;
    }
    const CallGraph::Function *function = graph.find(name);
    if (!function || !function->frameBytes) {
      return visitLibrary(name);
    }
    if (function->isDynamic) {
      return createStringError("the frame of '" + name +
                               "' depends on data; use arrays of fixed "
                               "sizes");
    }
    if (!active.insert(name).second) {
      return createStringError("'" + name + "' calls itself; replace the recursion by a loop");
    }
    Bound bound{*function->frameBytes, ""};
    for (const std::string &callee : function->callees) {
      llvm::Expected<int64_t> bytes = visit(callee);
      if (!bytes) {
        return bytes.takeError();
      }
      if (bound.callee.empty() || *function->frameBytes + *bytes > bound.bytes) {
        bound = {*function->frameBytes + *bytes, callee};
      }
    }
    active.erase(name);
    bounds[name] = bound;
    return bound.bytes;
  }

  StackBound result(const std::string &root) {
    StackBound bound{bounds[root].bytes, {}, {}};
    for (std::string name = root; !name.empty(); name = bounds[name].callee) {
      bound.path.push_back(name);
    }
    for (const auto &[name, entry] : bounds) {
      if (entry.isLibrary) {
        bound.library.push_back({name, entry.bytes});
      }
    }
    return bound;
  }

private:
  struct Bound {
    int64_t bytes = 0;
    std::string callee; // the next function of the deepest path; empty: none
    bool isLibrary = false;
  };

  llvm::Expected<int64_t> visitLibrary(const std::string &name) {
    if (name == kIndirectCall) {
      return createStringError("a function is called through a pointer; call functions by their "
                               "names");
    }
    auto found = library.find(name);
    if (found == library.end()) {
      return createStringError("the stack of the library function '" + name +
                               "' is unknown; add it to toolchain.libraryStack of the target's "
                               "description, see scripts/library-stack.py");
    }
    bounds[name] = {found->second, "", true};
    return found->second;
  }

  const CallGraph &graph;
  const std::map<std::string, int64_t> &library;
  std::map<std::string, Bound> bounds;
  std::set<std::string> active;
};

} // namespace

const CallGraph::Function *CallGraph::find(StringRef name) const {
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

void CallGraph::addFrame(StringRef name, int64_t bytes, StringRef kind) {
  Function &function = functions[name.str()];
  function.frameBytes = std::max(function.frameBytes.value_or(0), bytes);
  function.isDynamic |= kind == "dynamic";
}

llvm::Error CallGraph::addCallGraphInfo(StringRef text) {
  llvm::Regex node(
      "^node: \\{ title: \"([^\"]*)\" label: \"[^\"]*\\\\n([0-9]+) bytes \\(([a-z,]+)\\)");
  llvm::Regex edge("^edge: \\{ sourcename: \"([^\"]*)\" targetname: \"([^\"]*)\"");
  llvm::SmallVector<StringRef> lines, parts;
  knowsIndirectCalls = true;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    int64_t bytes = 0;
    if (node.match(line, &parts) && !parts[2].getAsInteger(10, bytes)) {
      addFrame(withoutFile(parts[1]), bytes, parts[3]);
    } else if (edge.match(line, &parts)) {
      functions[withoutFile(parts[1]).str()].callees.insert(withoutFile(parts[2]).str());
    }
  }
  return functions.empty() ? createStringError("the compiler wrote no call graph")
                           : llvm::Error::success();
}

llvm::Error CallGraph::addStackUsage(StringRef text, int64_t alignment) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [title, rest] = line.split('\t');
    auto [number, kind] = rest.split('\t');
    int64_t bytes = 0;
    if (number.getAsInteger(10, bytes)) {
      return createStringError("the compiler wrote an unknown stack usage '" + line + "'");
    }
    // A frame with an aligned vector is larger than the alignment.
    addFrame(withoutFile(title), bytes + (bytes > alignment ? alignment : 0), kind);
  }
  return llvm::Error::success();
}

llvm::Error CallGraph::addObject(const std::string &path) {
  auto binary = llvm::object::ObjectFile::createObjectFile(path);
  if (!binary) {
    return binary.takeError();
  }
  const auto *object = llvm::cast<llvm::object::ELFObjectFileBase>(binary->getBinary());
  auto ofSections = readFunctions(*object);
  if (!ofSections) {
    return ofSections.takeError();
  }
  for (const llvm::object::SectionRef &relocations : object->sections()) {
    auto section = relocations.getRelocatedSection();
    if (!section) {
      return section.takeError();
    }
    if (*section == object->section_end()) {
      continue;
    }
    const FunctionsOfSection &inside = (*ofSections)[(*section)->getIndex()];
    for (const llvm::object::RelocationRef &relocation : relocations.relocations()) {
      auto next = inside.upper_bound(relocation.getOffset());
      if (!isCall(object->getEMachine(), relocation.getType()) || next == inside.begin()) {
        continue;
      }
      llvm::Expected<StringRef> callee = relocation.getSymbol()->getName();
      if (!callee) {
        return callee.takeError();
      }
      const std::string &caller = std::prev(next)->second;
      // Labels inside functions begin with a dot.
      if (!callee->empty() && !callee->starts_with(".") && *callee != caller) {
        functions[caller].callees.insert(callee->str());
      }
    }
  }
  return llvm::Error::success();
}

void CallGraph::resolveIndirectCalls(StringRef callee, StringRef prefix) {
  for (auto &[name, function] : functions) {
    bool isCaller = function.callees.erase(kIndirectCall.str()) > 0 ||
                    (!knowsIndirectCalls && StringRef(name).starts_with(prefix));
    if (isCaller && name != callee) {
      function.callees.insert(callee.str());
    }
  }
}

llvm::Expected<StackBound> boundStack(const CallGraph &graph, StringRef root,
                                      const std::map<std::string, int64_t> &library) {
  Walk walk(graph, library);
  llvm::Expected<int64_t> bytes = walk.visit(root.str());
  if (!bytes) {
    return withPrefix("the stack of '" + root + "' has no bound: ", bytes.takeError());
  }
  return walk.result(root.str());
}

std::optional<int64_t> framesBetween(const CallGraph &graph, StringRef root, StringRef callee) {
  if (root == callee) {
    return 0;
  }
  const CallGraph::Function *function = graph.find(root);
  std::optional<int64_t> deepest;
  for (const std::string &next : function ? function->callees : std::set<std::string>()) {
    std::optional<int64_t> below = next == root ? std::nullopt : framesBetween(graph, next, callee);
    if (below) {
      deepest = std::max(deepest.value_or(0), function->frameBytes.value_or(0) + *below);
    }
  }
  return deepest;
}

} // namespace convoy::driver
