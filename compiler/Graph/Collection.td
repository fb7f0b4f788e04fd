// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences, optionals, strings, random numbers, images and trees: what only
// the reference executes.

#ifndef CONVOY_GRAPH_COLLECTION
#define CONVOY_GRAPH_COLLECTION

include "Graph/GraphDialect.td"

def Graph_SequenceConstructOp : Graph_Op<"sequence_construct"> {
  let summary = "A sequence of the operands; `element` types an empty one";
  let arguments = (ins Variadic<Graph_Value>:$inputs, TypeAttr:$element);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceInsertOp : Graph_Op<"sequence_insert"> {
  let summary = "The sequence with one more value at `position`, or at the end";
  let arguments = (ins Graph_Value:$sequence, Graph_Value:$value, Optional<Graph_Tensor>:$position);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceEraseOp : Graph_Op<"sequence_erase"> {
  let summary = "The sequence without the value at `position`, or without the last";
  let arguments = (ins Graph_Value:$sequence, Optional<Graph_Tensor>:$position);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceAtOp : Graph_Op<"sequence_at"> {
  let summary = "The value at `position`; negative counts from the end";
  let arguments = (ins Graph_Value:$sequence, Graph_Tensor:$position);
  let results = (outs Graph_Value:$result);
}
def Graph_SequenceLengthOp : Graph_Op<"sequence_length"> {
  let summary = "Number of values as an i64 scalar";
  let arguments = (ins Graph_Value:$sequence);
  let results = (outs Graph_Tensor:$result);
}
def Graph_SplitToSequenceOp : Graph_Op<"split_to_sequence"> {
  let summary = "Parts of a tensor along `axis` as a sequence";
  let description = [{
    `sizes` is a vector of lengths or one scalar length; without it each part
    is one slice, squeezed unless `keepDims`.
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$sizes, I64Attr:$axis,
                       BoolAttr:$keepDims);
  let results = (outs Graph_Value:$result);
}
def Graph_ConcatFromSequenceOp : Graph_Op<"concat_from_sequence"> {
  let summary = "Join the tensors of a sequence along `axis`, a new dimension when `newAxis`";
  let arguments = (ins Graph_Value:$sequence, I64Attr:$axis, BoolAttr:$newAxis);
  let results = (outs Graph_Tensor:$result);
}
def Graph_SequenceMapOp : Graph_Op<"sequence_map", [SingleBlock]> {
  let summary = "Run the body for each value of the first sequence (and of others in step)";
  let description = [{
    Operands that are sequences give one value a step, tensors stay whole. Each
    yielded value becomes a sequence.
  }];
  let arguments = (ins Variadic<Graph_Value>:$inputs);
  let results = (outs Variadic<Graph_Value>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "operands $body attr-dict `:` functional-type(operands, results)";
}

def Graph_OptionalOp : Graph_Op<"optional"> {
  let summary = "An optional that holds the operand, or nothing";
  let arguments = (ins Optional<Graph_Value>:$value, TypeAttr:$element);
  let results = (outs Graph_Value:$result);
}
def Graph_OptionalHasOp : Graph_Op<"optional_has"> {
  let summary = "Whether the optional holds a value; a plain value does, no operand does not";
  let arguments = (ins Optional<Graph_Value>:$value);
  let results = (outs Graph_Tensor:$result);
}
def Graph_OptionalGetOp : Graph_Op<"optional_get"> {
  let summary = "The value an optional holds; a plain value is itself";
  let arguments = (ins Graph_Value:$value);
  let results = (outs Graph_Value:$result);
}

def Graph_StringConcatOp : Graph_Op<"string_concat"> {
  let summary = "Concatenate strings element by element, with broadcasting";
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
}
def Graph_StringSplitOp : Graph_Op<"string_split"> {
  let summary = "Split each string at a delimiter; gives the parts, padded with \"\", and counts";
  let arguments = (ins Graph_Tensor:$input, OptionalAttr<StrAttr>:$delimiter,
                       OptionalAttr<I64Attr>:$maxSplit);
  let results = (outs Graph_Tensor:$parts, Graph_Tensor:$counts);
}
def Graph_StringNormalizeOp : Graph_Op<"string_normalize"> {
  let summary = "Change case and drop stop words; `caseChange` is LOWER, UPPER or NONE";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$caseChange, BoolAttr:$isCaseSensitive,
                       StrArrayAttr:$stopWords);
  let results = (outs Graph_Tensor:$result);
}
def Graph_RegexMatchOp : Graph_Op<"regex_match"> {
  let summary = "Whether each whole string matches an RE2-style pattern";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$pattern);
  let results = (outs Graph_Tensor:$result);
}
def Graph_TfIdfOp : Graph_Op<"tf_idf"> {
  let summary = "Count n-grams of each row, weighted";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$mode, I64Attr:$minGram, I64Attr:$maxGram,
                       I64Attr:$maxSkip, DenseI64ArrayAttr:$gramCounts,
                       DenseI64ArrayAttr:$gramIndexes, DenseI64ArrayAttr:$poolInts,
                       StrArrayAttr:$poolStrings, DenseF64ArrayAttr:$weights);
  let results = (outs Graph_Tensor:$result);
}
def Graph_LabelEncodeOp : Graph_Op<"label_encode"> {
  let summary = "Map each element through a table, with a default";
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$keys, Graph_Tensor:$values,
                       Graph_Tensor:$defaultValue);
  let results = (outs Graph_Tensor:$result);
}
def Graph_TreeEnsembleOp : Graph_Op<"tree_ensemble"> {
  let summary = "ai.onnx.ml TreeEnsemble; attributes as in ONNX, held in a dictionary";
  let arguments = (ins Graph_Tensor:$input, DictionaryAttr:$trees);
  let results = (outs Graph_Tensor:$result);
}
def Graph_ImageDecodeOp : Graph_Op<"image_decode"> {
  let summary = "Decode an encoded image to H x W x C; `format` is RGB, BGR or Grayscale";
  let arguments = (ins Graph_Tensor:$input, StrAttr:$format);
  let results = (outs Graph_Tensor:$result);
}
def Graph_RandomOp : Graph_Op<"random"> {
  let summary = "Random numbers from a fixed generator";
  let description = [{
    `distribution` is uniform (a = low, b = high), normal (a = mean, b =
    deviation), bernoulli (operand holds probabilities) or multinomial (operand
    holds log probabilities, a = samples). `shape` fixes the result for the
    first two, unless the operand gives it.
  }];
  let arguments = (ins Optional<Graph_Tensor>:$input, StrAttr:$distribution, TypeAttr:$to,
                       DenseI64ArrayAttr:$shape, DefaultValuedAttr<F64Attr, "0.0">:$a,
                       DefaultValuedAttr<F64Attr, "0.0">:$b, OptionalAttr<F64Attr>:$seed);
  let results = (outs Graph_Tensor:$result);
}

#endif
