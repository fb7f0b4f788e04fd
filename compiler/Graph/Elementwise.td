// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that compute one result element from one element of each operand.

#ifndef CONVOY_GRAPH_ELEMENTWISE
#define CONVOY_GRAPH_ELEMENTWISE

include "Graph/GraphDialect.td"

def Graph_UnaryKind : I32EnumAttr<"UnaryKind", "function of one element", [
    I32EnumAttrCase<"Abs", 0, "abs">, I32EnumAttrCase<"Neg", 1, "neg">,
    I32EnumAttrCase<"Exp", 2, "exp">, I32EnumAttrCase<"Log", 3, "log">,
    I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Reciprocal", 5, "reciprocal">,
    I32EnumAttrCase<"Floor", 6, "floor">, I32EnumAttrCase<"Ceil", 7, "ceil">,
    I32EnumAttrCase<"Round", 8, "round">, I32EnumAttrCase<"Sign", 9, "sign">,
    I32EnumAttrCase<"Sin", 10, "sin">, I32EnumAttrCase<"Cos", 11, "cos">,
    I32EnumAttrCase<"Tan", 12, "tan">, I32EnumAttrCase<"Asin", 13, "asin">,
    I32EnumAttrCase<"Acos", 14, "acos">, I32EnumAttrCase<"Atan", 15, "atan">,
    I32EnumAttrCase<"Sinh", 16, "sinh">, I32EnumAttrCase<"Cosh", 17, "cosh">,
    I32EnumAttrCase<"Asinh", 18, "asinh">, I32EnumAttrCase<"Acosh", 19, "acosh">,
    I32EnumAttrCase<"Atanh", 20, "atanh">, I32EnumAttrCase<"Tanh", 21, "tanh">,
    I32EnumAttrCase<"Erf", 22, "erf">, I32EnumAttrCase<"Sigmoid", 23, "sigmoid">,
    I32EnumAttrCase<"Relu", 24, "relu">, I32EnumAttrCase<"Softplus", 25, "softplus">,
    I32EnumAttrCase<"Softsign", 26, "softsign">, I32EnumAttrCase<"Mish", 27, "mish">,
    I32EnumAttrCase<"HardSwish", 28, "hard_swish">, I32EnumAttrCase<"Gelu", 29, "gelu">,
    I32EnumAttrCase<"GeluTanh", 30, "gelu_tanh">, I32EnumAttrCase<"Not", 31, "not">,
    I32EnumAttrCase<"BitNot", 32, "bit_not">, I32EnumAttrCase<"IsNaN", 33, "is_nan">,
    I32EnumAttrCase<"IsInf", 34, "is_inf">, I32EnumAttrCase<"IsPosInf", 35, "is_pos_inf">,
    I32EnumAttrCase<"IsNegInf", 36, "is_neg_inf">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_UnaryOp : Graph_Op<"unary", ElementwiseClass,
    [CollapsesDimensions, IntegerForm, TableForm]> {
  let summary = "Applies a function without parameters to each element";
  let description = [{
    - [unary.1] `is_nan`, `is_inf`, `is_pos_inf` and `is_neg_inf` return `i1`; every
      other kind keeps the element type.
    - [unary.2] `not` accepts `i1`; `bit_not` accepts integers; `abs`, `neg`, `sign`
      and `relu` accept integers and floats; all other kinds accept floats.
    - `round` rounds half to even; `relu` propagates NaN.

    ```mlir
    %y = graph.unary relu %x : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ```
  }];
  let arguments = (ins Graph_UnaryKind:$kind, Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` functional-type(operands, results)";
}

def Graph_ActivationKind : I32EnumAttr<"ActivationKind", "activation with parameters", [
    I32EnumAttrCase<"LeakyRelu", 0, "leaky_relu">, I32EnumAttrCase<"Elu", 1, "elu">,
    I32EnumAttrCase<"Selu", 2, "selu">, I32EnumAttrCase<"Celu", 3, "celu">,
    I32EnumAttrCase<"HardSigmoid", 4, "hard_sigmoid">,
    I32EnumAttrCase<"ThresholdedRelu", 5, "thresholded_relu">,
    I32EnumAttrCase<"Shrink", 6, "shrink">, I32EnumAttrCase<"Swish", 7, "swish">,
    I32EnumAttrCase<"Affine", 8, "affine">, I32EnumAttrCase<"ScaledTanh", 9, "scaled_tanh">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_ActivationOp : Graph_Op<"activation", ElementwiseClass,
    [CollapsesDimensions, TableForm]> {
  let summary = "Applies an activation with parameters alpha and beta to each element";
  let description = [{
    | kind | result |
    |---|---|
    | leaky_relu | x < 0 ? alpha x : x |
    | elu | x < 0 ? alpha (exp(x) - 1) : x |
    | selu | beta (x <= 0 ? alpha (exp(x) - 1) : x), beta is ONNX's gamma |
    | celu | max(0, x) + min(0, alpha (exp(x / alpha) - 1)) |
    | hard_sigmoid | max(0, min(1, alpha x + beta)) |
    | thresholded_relu | x > alpha ? x : 0 |
    | shrink | x < -alpha ? x + beta : x > alpha ? x - beta : 0; alpha is lambd, beta is bias |
    | swish | x sigmoid(alpha x) |
    | affine | alpha x + beta |
    | scaled_tanh | alpha tanh(beta x) |

    - [activation.1] the element type is a float; `shrink` also accepts integers.
  }];
  let arguments = (ins Graph_ActivationKind:$kind, Graph_Tensor:$input,
                       DefaultValuedAttr<F64Attr, "0.0">:$alpha,
                       DefaultValuedAttr<F64Attr, "0.0">:$beta);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` functional-type(operands, results)";
}

def Graph_BinaryKind : I32EnumAttr<"BinaryKind", "function of two elements", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Div", 3, "div">,
    I32EnumAttrCase<"Mod", 4, "mod">, I32EnumAttrCase<"FMod", 5, "fmod">,
    I32EnumAttrCase<"Pow", 6, "pow">, I32EnumAttrCase<"Min", 7, "min">,
    I32EnumAttrCase<"Max", 8, "max">, I32EnumAttrCase<"PRelu", 9, "prelu">,
    I32EnumAttrCase<"And", 10, "and">, I32EnumAttrCase<"Or", 11, "or">,
    I32EnumAttrCase<"Xor", 12, "xor">, I32EnumAttrCase<"BitAnd", 13, "bit_and">,
    I32EnumAttrCase<"BitOr", 14, "bit_or">, I32EnumAttrCase<"BitXor", 15, "bit_xor">,
    I32EnumAttrCase<"ShiftLeft", 16, "shift_left">,
    I32EnumAttrCase<"ShiftRight", 17, "shift_right">,
    I32EnumAttrCase<"Equal", 18, "equal">, I32EnumAttrCase<"Less", 19, "less">,
    I32EnumAttrCase<"LessEqual", 20, "less_equal">,
    I32EnumAttrCase<"Greater", 21, "greater">,
    I32EnumAttrCase<"GreaterEqual", 22, "greater_equal">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_BinaryOp : Graph_Op<"binary", ElementwiseClass,
    [CollapsesDimensions, IntegerForm, TableForm]> {
  let summary = "Combines two tensors element-wise, with NumPy broadcasting";
  let description = [{
    - [binary.1] both operands have the same element type. `pow` is an exception:
      its exponent may have any numeric type. The result has the type of `lhs`.
    - [binary.2] `equal` ... `greater_equal` return `i1`.
    - [binary.3] dimensions, aligned from the last, are equal or one of them is 1.
    - [binary.4] `and`, `or`, `xor` accept `i1`; `bit_*` and shifts accept integers.
    - Integer `div` truncates toward zero and returns 0 for a zero divisor. The
      result of `mod` has the sign of the divisor, the result of `fmod` has the sign
      of the dividend; both return 0 for an integer zero divisor. Integer arithmetic
      wraps. A shift by the bit width or more returns 0 (the sign for a signed right
      shift).
    - `min` and `max` return NaN if either operand is NaN.
    - `prelu` is `lhs < 0 ? lhs * rhs : lhs`.
  }];
  let arguments = (ins Graph_BinaryKind:$kind, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_SelectOp : Graph_Op<"select", ElementwiseClass, [CollapsesDimensions, TableForm]> {
  let summary = "Selects each element from one of two tensors, with NumPy broadcasting";
  let description = [{
    - [select.1] `condition` is `i1`; the other two operands have the same element
      type.
    - [select.2] the three shapes broadcast as in [binary.3].
  }];
  let arguments = (ins Graph_Tensor:$condition, Graph_Tensor:$trueValue,
                       Graph_Tensor:$falseValue);
  let results = (outs Graph_Tensor:$result);
}

def Graph_RoundMode : I32EnumAttr<"RoundMode", "rounding of a cast to f8E8M0", [
    I32EnumAttrCase<"Up", 0, "up">, I32EnumAttrCase<"Down", 1, "down">,
    I32EnumAttrCase<"Nearest", 2, "nearest">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_CastOp : Graph_Op<"cast", ElementwiseClass, [CollapsesDimensions, TableForm]> {
  let summary = "Converts each element to another type";
  let description = [{
    A conversion to a narrower float rounds half to even. A conversion from float to
    integer truncates. ONNX does not specify values out of range or NaN: this op
    saturates, and NaN becomes 0. For integers narrower than 8 bits it keeps the low
    bits instead, as ONNX's tests expect. A conversion to `i1` is `x != 0`.
    Conversions between integers wrap. A conversion to an 8-bit float saturates if
    `saturate` is set; otherwise the result is NaN or infinity. `roundMode` applies
    to `f8E8M0` only.
  }];
  let arguments = (ins Graph_Tensor:$input, TypeAttr:$to,
                       DefaultValuedAttr<BoolAttr, "true">:$saturate,
                       DefaultValuedAttr<Graph_RoundMode, "RoundMode::Up">:$roundMode);
  let results = (outs Graph_Tensor:$result);
}

#endif
