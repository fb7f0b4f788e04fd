// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on sequences, optionals, strings, random numbers, images and trees. Only the
// reference interpreter executes most of them.

#ifndef CONVOY_GRAPH_COLLECTION
#define CONVOY_GRAPH_COLLECTION

include "Graph/GraphDialect.td"

def Graph_SequenceConstructOp : Graph_Op<"sequence_construct", NoneClass> {
  let summary = "Constructs a sequence of the operands; `element` is the element type";
  let arguments = (ins Variadic<Graph_Value>:$inputs, TypeAttr:$element);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceInsertOp : Graph_Op<"sequence_insert", NoneClass> {
  let summary = "Inserts a value at `position`, or at the end if there is no position";
  let arguments = (ins Graph_Value:$sequence, Graph_Value:$value, Optional<Graph_Tensor>:$position);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceEraseOp : Graph_Op<"sequence_erase", NoneClass> {
  let summary = "Removes the value at `position`, or the last value if there is no position";
  let arguments = (ins Graph_Value:$sequence, Optional<Graph_Tensor>:$position);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceAtOp : Graph_Op<"sequence_at", NoneClass> {
  let summary = "Returns the value at `position`; a negative position counts from the end";
  let arguments = (ins Graph_Value:$sequence, Graph_Tensor:$position);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceLengthOp : Graph_Op<"sequence_length", NoneClass> {
  let summary = "Returns the number of values as an i64 scalar";
  let arguments = (ins Graph_Value:$sequence);
  let results = (outs Graph_Tensor:$result);
}
def Graph_SplitToSequenceOp : Graph_Op<"split_to_sequence", NoneClass> {
  let summary = "Splits a tensor along `axis` into a sequence";
  let description = [{
    `sizes` is a vector of part sizes or one scalar size. Without `sizes`, each part
    has size 1 along `axis`; the op removes this dimension unless `keepDims` is set.
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$sizes, I64Attr:$axis,
                       BoolAttr:$keepDims);
  let results = (outs Graph_Value:$result);
}
def Graph_ConcatFromSequenceOp : Graph_Op<"concat_from_sequence", NoneClass> {
  let summary = "Concatenates the tensors of a sequence along `axis`, or along a new dimension";
  let arguments = (ins Graph_Value:$sequence, I64Attr:$axis, BoolAttr:$newAxis);
  let results = (outs Graph_Tensor:$result);
}
def Graph_SequenceMapOp : Graph_Op<"sequence_map", NoneClass, [], [SingleBlock]> {
  let summary = "Runs the body for each value of the first sequence";
  let description = [{
    In each step, an operand that is a sequence supplies one value, and an operand
    that is a tensor supplies the whole tensor. The op collects each yielded value
    into a sequence.
  }];
  let arguments = (ins Variadic<Graph_Value>:$inputs);
  let results = (outs Variadic<Graph_Value>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "operands $body attr-dict `:` functional-type(operands, results)";
}

def Graph_OptionalOp : Graph_Op<"optional", NoneClass> {
  let summary = "Constructs an optional that holds the operand, or an empty optional";
  let arguments = (ins Optional<Graph_Value>:$value, TypeAttr:$element);
  let results = (outs Graph_Value:$result);
}
def Graph_OptionalHasOp : Graph_Op<"optional_has", NoneClass> {
  let summary = "Returns whether the operand is present and not an empty optional";
  let arguments = (ins Optional<Graph_Value>:$value);
  let results = (outs Graph_Tensor:$result);
}
def Graph_OptionalGetOp : Graph_Op<"optional_get", NoneClass> {
  let summary = "Returns the value of an optional; returns any other operand unchanged";
  let arguments = (ins Graph_Value:$value);
  let results = (outs Graph_Value:$result);
}

def Graph_StringConcatOp : Graph_Op<"string_concat", NoneClass> {
  let summary = "Concatenates strings element-wise, with broadcasting";
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
}
def Graph_StringSplitOp : Graph_Op<"string_split", NoneClass> {
  let summary = "Splits each string at a delimiter into parts, padded with \"\", and counts";
  let arguments = (ins Graph_Tensor:$input, OptionalAttr<StrAttr>:$delimiter,
                       OptionalAttr<I64Attr>:$maxSplit);
  let results = (outs Graph_Tensor:$parts, Graph_Tensor:$counts);
}
def Graph_StringNormalizeOp : Graph_Op<"string_normalize", NoneClass> {
  let summary = "Changes the case and removes stop words; `caseChange` is LOWER, UPPER or NONE";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$caseChange, BoolAttr:$isCaseSensitive,
                       StrArrayAttr:$stopWords);
  let results = (outs Graph_Tensor:$result);
}
def Graph_RegexMatchOp : Graph_Op<"regex_match", NoneClass> {
  let summary = "Returns whether each string fully matches an RE2 pattern";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$pattern);
  let results = (outs Graph_Tensor:$result);
}
def Graph_TfIdfOp : Graph_Op<"tf_idf", NoneClass> {
  let summary = "Counts the n-grams of each row and multiplies the counts by weights";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$mode, I64Attr:$minGram, I64Attr:$maxGram,
                       I64Attr:$maxSkip, DenseI64ArrayAttr:$gramCounts,
                       DenseI64ArrayAttr:$gramIndexes, DenseI64ArrayAttr:$poolInts,
                       StrArrayAttr:$poolStrings, DenseF64ArrayAttr:$weights);
  let results = (outs Graph_Tensor:$result);
}
def Graph_LabelEncodeOp : Graph_Op<"label_encode", NoneClass> {
  let summary = "Maps each element from `keys` to `values`, or to the default value";
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$keys, Graph_Tensor:$values,
                       Graph_Tensor:$defaultValue);
  let results = (outs Graph_Tensor:$result);
}
def Graph_TreeEnsembleOp : Graph_Op<"tree_ensemble", NoneClass> {
  let summary = "Evaluates an ai.onnx.ml TreeEnsemble; the dictionary holds the attributes of ONNX";
  let arguments = (ins Graph_Tensor:$input, DictionaryAttr:$trees);
  let results = (outs Graph_Tensor:$result);
}
def Graph_ImageDecodeOp : Graph_Op<"image_decode", NoneClass> {
  let summary = "Decodes an image to H x W x C; `format` is RGB, BGR or Grayscale";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$format);
  let results = (outs Graph_Tensor:$result);
}
def Graph_RandomOp : Graph_Op<"random", NoneClass, [NeverFolds]> {
  let summary = "Draws random numbers from a fixed generator";
  let description = [{
    `distribution` is uniform (a = low, b = high), normal (a = mean, b = standard
    deviation), bernoulli (the operand holds probabilities) or multinomial (the
    operand holds log probabilities, a = number of samples). For uniform and normal,
    the result has the shape of the operand, or `shape` if there is no operand.

    Each op has its own generator, the Mersenne Twister MT19937, which starts from `seed` (default: 0)
    in every inference. If `seed` is an integer in [0, 2^32), it is the seed of MT19937. Otherwise the
    seed of MT19937 is the exclusive or of the two halves of the bits of `seed`. The numbers are drawn in
    the order of the elements of the result:

    - A uniform number u in [0, 1) takes two words of 32 bits: u = (a * 2^26 + b) / 2^53, where a is
      the upper 27 bits of the first word and b is the upper 26 bits of the second one. This is
      `numpy.random.RandomState(seed).random_sample()`. The result is low + (high - low) * u.
    - A normal number takes two uniform numbers: mean + deviation * sqrt(-2 log(1 - u)) * cos(2 pi v).
    - A bernoulli number is 1 if u is less than the probability, and 0 otherwise.
    - A multinomial number is the number of partial sums s of the probabilities, without the last sum
      t, for which s <= u * t.
  }];
  let arguments = (ins Optional<Graph_Tensor>:$input, StrAttr:$distribution, TypeAttr:$to,
                       DenseI64ArrayAttr:$shape, DefaultValuedAttr<F64Attr, "0.0">:$a,
                       DefaultValuedAttr<F64Attr, "0.0">:$b, OptionalAttr<F64Attr>:$seed);
  let results = (outs Graph_Tensor:$result);
}

#endif
