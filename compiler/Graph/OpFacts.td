// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the facts about ops that passes read. An op declares its facts as
// arguments of Graph_Op. The class is mandatory. Every other fact has a default
// that is correct for all ops and disables a transformation.

#ifndef CONVOY_GRAPH_OP_FACTS
#define CONVOY_GRAPH_OP_FACTS

include "mlir/IR/OpBase.td"

def Graph_OpFactsInterface : OpInterface<"OpFactsInterface"> {
  let cppNamespace = "::convoy::graph";
  let description = [{
    The facts about an op that passes of several stages read. `Graph/OpFacts.h`
    declares accessors that accept an op of any dialect.
  }];
  let methods =
      [StaticInterfaceMethod<"Returns the class of the op.", "::convoy::graph::OpClass",
                             "getOpClass">,
       InterfaceMethod<"See StaticOperands.", "bool", "isStaticOperand",
                       (ins "::mlir::OpOperand &":$operand), "", "return false;">,
       InterfaceMethod<"See CollapsesDimensions.", "bool", "collapsesDimensions", (ins), "",
                       "return false;">,
       InterfaceMethod<"See ReadsOnce.", "bool", "readsOnce", (ins), "", "return false;">,
       InterfaceMethod<"See NeedsNoKernel.", "bool", "needsNoKernel", (ins), "", "return false;">,
       InterfaceMethod<"See NamesStorage.", "bool", "namesStorage", (ins), "", "return false;">,
       InterfaceMethod<"See AcceptsLayouts.", "bool", "acceptsLayouts", (ins), "", "return false;">,
       InterfaceMethod<"See CommutesWithQuantization.", "bool", "commutesWithQuantization", (ins),
                       "", "return false;">,
       InterfaceMethod<"See IntegerForm.", "bool", "hasIntegerForm", (ins), "", "return false;">,
       InterfaceMethod<"See TableForm.", "bool", "hasTableForm", (ins), "", "return false;">,
       InterfaceMethod<"See LinearLayer.", "bool", "isLinearLayer", (ins), "", "return false;">,
       InterfaceMethod<"See NeverFolds.", "bool", "neverFolds", (ins), "", "return false;">];
}

// The class of an op: how the op accesses elements. The enum OpClass of
// Graph/OpFacts.h has the same cases.
class Graph_OpClass<string enumCase> { string cppValue = "::convoy::graph::OpClass::"#enumCase; }
def ElementwiseClass : Graph_OpClass<"Elementwise">;
def MovementClass : Graph_OpClass<"Movement">;
def ReductionClass : Graph_OpClass<"Reduction">;
def HeavyClass : Graph_OpClass<"Heavy">;
def WholeClass : Graph_OpClass<"Whole">;
def ControlClass : Graph_OpClass<"Control">;
def NoneClass : Graph_OpClass<"None">;

// A fact overrides one method of the interface.
class Graph_Fact<string text> { string declaration = text; }
class Graph_TrueFact<string method> : Graph_Fact<"bool "#method#"() { return true; }">;
// The fact depends on attributes or types of the op. <Family>Ops.cpp defines the method.
class ComputedFact<string method> : Graph_Fact<"bool "#method#"();">;

// The operands are parameters of the op (a shape, axes, a count), not data. A
// constant parameter is part of the kernel. Names are those of `arguments`.
class StaticOperands<list<string> names>
    : Graph_Fact<"bool isStaticOperand(::mlir::OpOperand &operand) { return "#!interleave(
          !foreach(name, names,
                   "::convoy::graph::isOneOf(operand, get"#!toupper(!substr(name, 0, 1))#!substr(
                       name, 1)#"Mutable())"),
          " || ")#"; }">;

// The op computes the same elements if adjacent dimensions that all its tensors
// share are collapsed into one.
def CollapsesDimensions : Graph_TrueFact<"collapsesDimensions">;

// The op reads each element of its operands about once, so fusion may compute the
// operands on demand. Fusion reads this fact for ops of the classes Movement,
// Reduction and Whole.
def ReadsOnce : Graph_TrueFact<"readsOnce">;

// The op does not become a kernel on the CPU: constants, terminators and views. No
// op of the class Control becomes a kernel either.
def NeedsNoKernel : Graph_TrueFact<"needsNoKernel">;

// Outside a kernel, the result is memory of the operands, so no code is generated.
def NamesStorage : Graph_TrueFact<"namesStorage">;

// Operands outside a kernel may have a layout. All other ops expect planar tensors.
def AcceptsLayouts : Graph_TrueFact<"acceptsLayouts">;

// Operand 0 is data, which the op moves or selects by comparison. The op gives the
// same result before and after quantize_linear or dequantize_linear with one scale.
def CommutesWithQuantization : Graph_TrueFact<"commutesWithQuantization">;

// The quantize stage lowers the op to integers, at least for some attributes and
// operands. Calibration quantizes the result; Quantize/Calibrate.cpp checks the
// attributes and operands.
def IntegerForm : Graph_TrueFact<"hasIntegerForm">;

// The quantize stage may evaluate the op for each 8-bit input and replace it by a
// lookup table.
def TableForm : Graph_TrueFact<"hasTableForm">;

// The op is a sum of products of operand 0 and the weights in operand 1. A bias, a
// relu or a clip after the op belongs to the same integer layer.
def LinearLayer : Graph_TrueFact<"isLinearLayer">;

// Constant folding must not evaluate the op: results are random, or the op fails.
def NeverFolds : Graph_TrueFact<"neverFolds">;

#endif
