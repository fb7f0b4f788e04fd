// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that combine elements along dimensions.

#ifndef CONVOY_GRAPH_REDUCTION
#define CONVOY_GRAPH_REDUCTION

include "Graph/GraphDialect.td"

def Graph_ReduceKind : I32EnumAttr<"ReduceKind", "how elements combine", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Prod", 4, "prod">, I32EnumAttrCase<"L1", 5, "l1">,
    I32EnumAttrCase<"L2", 6, "l2">, I32EnumAttrCase<"LogSum", 7, "log_sum">,
    I32EnumAttrCase<"LogSumExp", 8, "log_sum_exp">,
    I32EnumAttrCase<"SumSquare", 9, "sum_square">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_ReduceOp : Graph_Op<"reduce", ReductionClass,
    [StaticOperands<["axes"]>, ComputedFact<"readsOnce">,
     ComputedFact<"commutesWithQuantization">, IntegerForm]> {
  let summary = "Reduces elements along `axes`";
  let description = [{
    If `axes` is absent or empty, the op reduces all dimensions. With
    `noopWithEmptyAxes`, it reduces no dimension and applies only the element
    function.
    - [reduce.1] axes are distinct and in [-rank, rank).

    An empty sum is 0, an empty product is 1, an empty max is the lowest value.
  }];
  let arguments = (ins Graph_ReduceKind:$kind, Graph_Tensor:$input, Optional<Graph_Tensor>:$axes,
                       BoolAttr:$keepDims,
                       DefaultValuedAttr<BoolAttr, "false">:$noopWithEmptyAxes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind $input (`over` $axes^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ArgReduceOp : Graph_Op<"arg_reduce", ReductionClass> {
  let summary = "Returns the index of the largest or smallest element along `axis`";
  let arguments = (ins Graph_Tensor:$input, I64Attr:$axis, BoolAttr:$keepDims, BoolAttr:$takesMax,
                       BoolAttr:$selectLast);
  let results = (outs Graph_Tensor:$result);
}

def Graph_CumulativeKind : I32EnumAttr<"CumulativeKind", "how elements accumulate", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_CumulativeOp : Graph_Op<"cumulative", WholeClass, [StaticOperands<["axis"]>]> {
  let summary = "Computes the cumulative sum or product along `axis`, a scalar operand";
  let arguments = (ins Graph_CumulativeKind:$kind, Graph_Tensor:$input, Graph_Tensor:$axis,
                       BoolAttr:$exclusive, BoolAttr:$reverse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `along` $axis attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_DetOp : Graph_Op<"det", WholeClass> {
  let summary = "Computes the determinant of the last two dimensions";
  let description = [{ - [det.1] the last two dimensions are equal. }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
}

def Graph_DFTOp : Graph_Op<"dft", HeavyClass,
    [StaticOperands<["length", "axis"]>], [AttrSizedOperandSegments]> {
  let summary = "Computes the discrete Fourier transform along `axis`";
  let description = [{
    The last dimension is (re) or (re, im). The op truncates or zero-pads the signal
    to `length`. `onesided` keeps floor(n / 2) + 1 bins of a real signal. With
    `inverse`, `onesided` reconstructs the real signal from these bins.
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$length,
                       Optional<Graph_Tensor>:$axis, BoolAttr:$inverse, BoolAttr:$onesided);
  let results = (outs Graph_Tensor:$result);
}

#endif
