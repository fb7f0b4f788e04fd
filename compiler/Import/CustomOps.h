// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the JSON files in which users declare custom ops, and imports nodes of these ops. The
// driver passes the declarations to the importer. docs/howto/custom-op.md describes the files.

#pragma once

#include "Import/NodeContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace convoy::import {

/// A custom op as its file declares it.
struct CustomOp {
  enum class ValueType { Int, Float, String, Ints, Floats };
  /// Values of all types, so that a type selects one member.
  struct Value {
    int64_t i = 0;
    double f = 0;
    std::string s;
    std::vector<int64_t> ints;
    std::vector<double> floats;
  };
  struct Input {
    std::string name;
    std::vector<std::string> types; // empty: every type that custom ops may have
  };
  struct Attribute {
    std::string name;
    ValueType type = ValueType::Int;
    std::optional<Value> initial; // nothing if each node must have the attribute
  };
  struct Output {
    std::string type;              // of ONNX, or the name of an input
    std::string like;              // the input with the same shape; empty: `dims` is the shape
    std::vector<std::string> dims; // expressions of Graph/DimExpression.h
  };

  std::string file; // that declares the op, for messages
  std::string domain, name;
  std::string function;
  std::string source; // path of the C file
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;
  std::vector<Output> outputs;
  std::string operations; // expression; empty: unknown

  /// Returns "com.example.Name".
  std::string qualifiedName() const { return domain + "." + name; }
};

/// The custom ops of all files of a request.
struct CustomOps {
  std::vector<CustomOp> ops;

  /// Returns the op, or null.
  const CustomOp *find(llvm::StringRef domain, llvm::StringRef name) const;
};

/// Reads and checks files. The path of a C file is relative to the file that names it.
llvm::Expected<CustomOps> readCustomOps(llvm::ArrayRef<std::string> paths);

/// Imports a node of a custom op as graph.custom.
mlir::LogicalResult importCustom(NodeContext &n, const CustomOp &op);

} // namespace convoy::import
