// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers: ops with weights, windows or normalization. Activations are NCHW with any
// number of spatial dimensions. `pads` holds the begin of each dimension, then the
// end of each dimension.

#ifndef CONVOY_GRAPH_NN
#define CONVOY_GRAPH_NN

include "Graph/GraphDialect.td"

def Graph_ConvOp : Graph_Op<"conv", HeavyClass, [IntegerForm, LinearLayer]> {
  let summary = "Convolves an N x C x spatial... input with O x (I/groups) x spatial... weights";
  let description = [{
    Padding is zero.
    - [conv.1] strides, dilations and kernel dimensions are positive; pads may be
      negative if the padded input is at least as large as the window.
    - [conv.2] input channels = weight dimension 1 * `groups`.
    - [conv.3] the number of output channels is a multiple of `groups`.
    - [conv.4] floats accumulate at least in f32, i32 accumulates in i32 (wrapping).

    ```mlir
    %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
                            dilations = array<i64: 1, 1>, groups = 1 : i64}
         : (tensor<1x8x32x32xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x30x30xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ConvTransposeOp : Graph_Op<"conv_transpose", HeavyClass> {
  let summary = "Computes a transposed convolution with I x (O/groups) x spatial... weights";
  let description = [{
    output = stride * (input - 1) + outputPadding + (kernel - 1) * dilation + 1
    - padBegin - padEnd.
    - [conv_transpose.1] input channels = weight dimension 0, a multiple of
      `groups`.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$outputPadding,
                       I64Attr:$groups);
  let results = (outs Graph_Tensor:$result);
}

def Graph_DeformConvOp : Graph_Op<"deform_conv", HeavyClass, [], [AttrSizedOperandSegments]> {
  let summary = "Convolves linear samples at learned offsets, multiplied by a mask";
  let description = [{
    Samples outside the input are zero. The input channels are divided into
    `offsetGroups` groups that share offsets. The rules of `conv` apply, and
    - [deform_conv.1] `offset` is N x (offsetGroups * kernel elements * spatial
      rank) x output sizes, with the coordinates innermost; `mask` has the same
      shape with one value per kernel element.
    - [deform_conv.2] the number of input channels is a multiple of `offsetGroups`.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weight, Graph_Tensor:$offset,
                       Optional<Graph_Tensor>:$bias, Optional<Graph_Tensor>:$mask,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups, I64Attr:$offsetGroups);
  let results = (outs Graph_Tensor:$result);
}

def Graph_MatMulOp : Graph_Op<"matmul", HeavyClass, [IntegerForm, LinearLayer]> {
  let summary = "Multiplies matrices in the last two dimensions; other dimensions broadcast";
  let description = [{
    - [matmul.1] the inner dimensions are equal; a vector operand gets a dimension
      of size 1, which is removed from the result.
    - [matmul.2] batch dimensions broadcast as in [binary.3].
    - [matmul.3] floats accumulate at least in f32, i32 accumulates in i32
      (wrapping).
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
}

def Graph_EinsumOp : Graph_Op<"einsum", HeavyClass> {
  let summary = "Evaluates an Einstein summation";
  let description = [{
    `equation` is explicit and lower case, for example `ab,bc->ac`. Import expands
    ellipses and implicit outputs.
    - [einsum.1] all dimensions with one label have the same size or size 1.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$equation);
  let results = (outs Graph_Tensor:$result);
}

def Graph_MaxPoolOp : Graph_Op<"max_pool", HeavyClass,
    [ComputedFact<"commutesWithQuantization">]> {
  let summary = "Returns the largest element of each window and its flat index in the input";
  let description = [{
    Padding is never the largest element; NaN is larger than every number. `indices`
    refers to the whole input; with `columnMajor`, the spatial dimensions are in
    column-major order. With `ceilMode`, the last window may extend beyond the end
    padding but must not start in it.
    - [max_pool.1] every window contains at least one element of the input.
    - [max_pool.2] kernel, strides and dilations are positive, pads are
      non-negative, and the padded input is at least as large as the window; this
      also holds for the other pools.
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, BoolAttr:$ceilMode,
                       BoolAttr:$columnMajor);
  let results = (outs Graph_Tensor:$result, Graph_Tensor:$indices);
}

def Graph_AveragePoolOp : Graph_Op<"average_pool", HeavyClass, [IntegerForm]> {
  let summary = "Returns the mean of each window";
  let description = [{
    The divisor is the number of input elements in the window. With
    `countIncludePad`, the divisor includes padding, but not the elements that
    `ceilMode` adds beyond the padding.
    - [average_pool.1] without `countIncludePad`, [max_pool.1] holds.
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, BoolAttr:$ceilMode,
                       BoolAttr:$countIncludePad);
  let results = (outs Graph_Tensor:$result);
}

def Graph_LpPoolOp : Graph_Op<"lp_pool", HeavyClass> {
  let summary = "Returns the p-norm of each window";
  let description = [{ - [lp_pool.1] `p` is positive. }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, BoolAttr:$ceilMode,
                       I64Attr:$p);
  let results = (outs Graph_Tensor:$result);
}

def Graph_MaxUnpoolOp : Graph_Op<"max_unpool", WholeClass, [StaticOperands<["outputShape"]>]> {
  let summary = "Writes each element to its index; all other elements are zero";
  let description = [{
    Indices refer to the unpooled shape that follows from kernel, strides and pads.
    A larger `outputShape` keeps the positions and appends zeros at the end of each
    dimension.
    - [max_unpool.1] `outputShape` is not smaller in any dimension and has the same
      batch and channels.
    - [max_unpool.2] there is one index per element, within the unpooled shape.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices,
                       Optional<Graph_Tensor>:$outputShape, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads);
  let results = (outs Graph_Tensor:$result);
}

def Graph_MaxRoiPoolOp : Graph_Op<"max_roi_pool", HeavyClass> {
  let summary = "Returns the largest element of each cell of each region of interest";
  let description = [{
    A region is (batch, left, top, right, bottom). Scaled corners are rounded to
    integers, and both corners belong to the region. The result of an empty cell is
    0.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$rois, DenseI64ArrayAttr:$pooledShape,
                       F64Attr:$spatialScale);
  let results = (outs Graph_Tensor:$result);
}

def Graph_RoiAlignOp : Graph_Op<"roi_align", HeavyClass> {
  let summary = "Returns the mean or maximum of bilinear samples in each cell of each region";
  let description = [{
    A region is (left, top, right, bottom). With `samplingRatio` 0, the number of
    samples per cell is the size of the cell, rounded up. As ONNX specifies, the
    maximum is taken over the weighted neighbors of the samples, not over the
    samples.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$rois, Graph_Tensor:$batchIndices,
                       I64Attr:$outputHeight, I64Attr:$outputWidth, I64Attr:$samplingRatio,
                       F64Attr:$spatialScale, BoolAttr:$halfPixel, BoolAttr:$takesMax);
  let results = (outs Graph_Tensor:$result);
}

def Graph_BatchNormOp : Graph_Op<"batch_norm", ElementwiseClass> {
  let summary = "Computes (x - mean) / sqrt(variance + epsilon) * scale + bias per channel";
  let description = [{ - [batch_norm.1] the four vectors have one entry per channel. }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$scale, Graph_Tensor:$bias,
                       Graph_Tensor:$mean, Graph_Tensor:$variance, F64Attr:$epsilon);
  let results = (outs Graph_Tensor:$result);
}

def Graph_SoftmaxOp : Graph_Op<"softmax", NoneClass> {
  let summary = "Computes softmax or, if `isLog` is set, log-softmax along `axis`";
  let description = [{
    softmax(x) = exp(x - max) / sum(exp(x - max)).
    - [softmax.1] `axis` is in [0, rank).
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$isLog);
  let results = (outs Graph_Tensor:$result);
}

def Graph_LRNOp : Graph_Op<"lrn", HeavyClass> {
  let summary = "Computes x / (bias + alpha / size * sum of squares over near channels) ^ beta";
  let arguments = (ins Graph_Tensor:$input, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta,
                       F64Attr:$bias);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ResizeMode : I32EnumAttr<"ResizeMode", "interpolation", [
    I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">,
    I32EnumAttrCase<"Cubic", 2, "cubic">]> {
  let cppNamespace = "::convoy::graph";
}
def Graph_CoordinateMode : I32EnumAttr<"CoordinateMode", "result coordinate to input coordinate", [
    I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
    I32EnumAttrCase<"HalfPixelSymmetric", 1, "half_pixel_symmetric">,
    I32EnumAttrCase<"PytorchHalfPixel", 2, "pytorch_half_pixel">,
    I32EnumAttrCase<"AlignCorners", 3, "align_corners">,
    I32EnumAttrCase<"Asymmetric", 4, "asymmetric">,
    I32EnumAttrCase<"TfHalfPixelForNN", 5, "tf_half_pixel_for_nn">,
    I32EnumAttrCase<"TfCropAndResize", 6, "tf_crop_and_resize">]> {
  let cppNamespace = "::convoy::graph";
}
def Graph_NearestMode : I32EnumAttr<"NearestMode", "which neighbor is nearest", [
    I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
    I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
    I32EnumAttrCase<"Floor", 2, "floor">, I32EnumAttrCase<"Ceil", 3, "ceil">]> {
  let cppNamespace = "::convoy::graph";
}
def Graph_AspectPolicy : I32EnumAttr<"AspectPolicy", "how `sizes` keeps the aspect ratio", [
    I32EnumAttrCase<"Stretch", 0, "stretch">, I32EnumAttrCase<"NotLarger", 1, "not_larger">,
    I32EnumAttrCase<"NotSmaller", 2, "not_smaller">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_ResizeOp : Graph_Op<"resize", NoneClass, [], [AttrSizedOperandSegments]> {
  let summary = "Resamples the input along `axes`";
  let description = [{
    The resize is separable; `Graph/ResizeGeometry.h` defines the arithmetic. `roi`
    holds the normalized starts, then the normalized ends, for tf_crop_and_resize.
    Integer results truncate.
    - [resize.1] the op has exactly one of `scales` and `sizes`, with one entry per
      axis.
    - [resize.2] scales are positive; the resulting size is floor(size * scale),
      computed in f32.
    - [resize.3] `axes` are distinct and in [0, rank).
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$roi,
                       Optional<Graph_Tensor>:$scales, Optional<Graph_Tensor>:$sizes,
                       DenseI64ArrayAttr:$axes, Graph_ResizeMode:$mode,
                       Graph_CoordinateMode:$coordinates, Graph_NearestMode:$nearest,
                       Graph_AspectPolicy:$aspect, F64Attr:$cubicCoefficient,
                       BoolAttr:$excludeOutside, BoolAttr:$antialias, F64Attr:$extrapolation);
  let results = (outs Graph_Tensor:$result);
}

def Graph_SamplePadding : I32EnumAttr<"SamplePadding", "value of samples outside", [
    I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Border", 1, "border">,
    I32EnumAttrCase<"Reflection", 2, "reflection">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_GridSampleOp : Graph_Op<"grid_sample", HeavyClass> {
  let summary = "Samples the input at the coordinates in `grid`, each in [-1, 1] and x first";
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$grid, Graph_ResizeMode:$mode,
                       Graph_SamplePadding:$padding, BoolAttr:$alignCorners);
  let results = (outs Graph_Tensor:$result);
}

def Graph_NonMaxSuppressionOp : Graph_Op<"non_max_suppression", NoneClass,
    [], [AttrSizedOperandSegments]> {
  let summary = "Selects boxes that overlap no box of higher score beyond the IoU threshold";
  let arguments = (ins Graph_Tensor:$boxes, Graph_Tensor:$scores,
                       Optional<Graph_Tensor>:$maxBoxesPerClass,
                       Optional<Graph_Tensor>:$iouThreshold,
                       Optional<Graph_Tensor>:$scoreThreshold, BoolAttr:$boxesAreCentered);
  let results = (outs Graph_Tensor:$result);
}

class Graph_RecurrentOp<string mnemonic>
    : Graph_Op<mnemonic, NoneClass, [], [AttrSizedOperandSegments]> {
  dag commonAttributes = (ins I64Attr:$hiddenSize, StrAttr:$direction, StrArrayAttr:$activations,
                              DenseF64ArrayAttr:$activationAlpha,
                              DenseF64ArrayAttr:$activationBeta,
                              DefaultValuedAttr<F64Attr, "0.0">:$clip);
  string commonDescription = [{
    The op is time-major: X is T x N x I, `y` is T x D x N x H and `yH` is D x N x
    H. D is 2 if `direction` is `bidirectional`, else 1 (`forward`, `reverse`).
    Import transposes a batch-major node. `activations` holds one name per gate
    function and direction. `clip` bounds the input of each activation; 0 disables
    it. Beyond `sequenceLens`, y is zero and the state is unchanged. In the reverse
    direction, each batch entry starts at the end of its own sequence.
    - [recurrent.1] the input has a floating-point type; all operands except
      `sequenceLens`, which has an integer type, have the same element type.
    - [recurrent.2] `direction` is `forward`, `reverse` or `bidirectional`.
    - [recurrent.3] with G gates, weight is D x GH x I, recurrence D x GH x H, bias
      D x 2GH (input biases first), sequenceLens N, initial states D x N x H,
      peepholes D x 3H (i o f).
    - [recurrent.4] each activation has an alpha and a beta and is relu, tanh,
      sigmoid, softsign or softplus of graph.unary, or affine, leaky_relu,
      scaled_tanh, hard_sigmoid, elu or thresholded_relu of graph.activation.
    - [recurrent.5] `hiddenSize` is positive, `clip` is non-negative.
  }];
}

def Graph_RNNOp : Graph_RecurrentOp<"rnn"> {
  let summary = "Computes an Elman recurrent network over time";
  let description = commonDescription;
  let arguments = !con((ins Graph_Tensor:$input, Graph_Tensor:$weight, Graph_Tensor:$recurrence,
                            Optional<Graph_Tensor>:$bias, Optional<Graph_Tensor>:$sequenceLens,
                            Optional<Graph_Tensor>:$initialH), commonAttributes);
  let results = (outs Graph_Tensor:$y, Graph_Tensor:$yH);
}

def Graph_GRUOp : Graph_RecurrentOp<"gru"> {
  let summary = "Computes gated recurrent units over time; the gates are in the order z r h";
  let description = commonDescription;
  let arguments = !con((ins Graph_Tensor:$input, Graph_Tensor:$weight, Graph_Tensor:$recurrence,
                            Optional<Graph_Tensor>:$bias, Optional<Graph_Tensor>:$sequenceLens,
                            Optional<Graph_Tensor>:$initialH), commonAttributes,
                       (ins BoolAttr:$linearBeforeReset));
  let results = (outs Graph_Tensor:$y, Graph_Tensor:$yH);
}

def Graph_LSTMOp : Graph_RecurrentOp<"lstm"> {
  let summary = "Computes a long short-term memory over time; the gates are in the order i o f c";
  let description = commonDescription;
  let arguments = !con((ins Graph_Tensor:$input, Graph_Tensor:$weight, Graph_Tensor:$recurrence,
                            Optional<Graph_Tensor>:$bias, Optional<Graph_Tensor>:$sequenceLens,
                            Optional<Graph_Tensor>:$initialH, Optional<Graph_Tensor>:$initialC,
                            Optional<Graph_Tensor>:$peepholes), commonAttributes,
                       (ins BoolAttr:$inputForget));
  let results = (outs Graph_Tensor:$y, Graph_Tensor:$yH, Graph_Tensor:$yC);
}

def Graph_QuantizeLinearOp : Graph_Op<"quantize_linear", ElementwiseClass> {
  let summary = "Computes saturate(round(x / scale) + zeroPoint); scale per tensor, axis or block";
  let description = [{
    A scalar scale applies to the whole tensor; a vector has one scale per index of
    `axis`. If `blockSize` > 0, the scale has the input's rank and each entry
    applies to `blockSize` elements of `axis`. The quotient has the type of the
    scale and is rounded half to even.
    - [quantize_linear.1] scale and zeroPoint have the same shape.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$scale, Optional<Graph_Tensor>:$zeroPoint,
                       TypeAttr:$to, I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$blockSize,
                       DefaultValuedAttr<BoolAttr, "true">:$saturate);
  let results = (outs Graph_Tensor:$result);
}

def Graph_DequantizeLinearOp : Graph_Op<"dequantize_linear", ElementwiseClass> {
  let summary = "Computes (x - zeroPoint) * scale with a scale per tensor, axis or block";
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$scale, Optional<Graph_Tensor>:$zeroPoint,
                       TypeAttr:$to, I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$blockSize);
  let results = (outs Graph_Tensor:$result);
}

def Graph_DynamicScaleOp : Graph_Op<"dynamic_scale", WholeClass> {
  let summary = "Computes the scale and zero point that map the range of a tensor to ui8";
  let description = [{
    The range [low, high] contains all elements and 0. The scale is (high - low) / 255,
    or 1 if the range is only 0. The zero point is saturate(round(-low / scale)), rounded
    half to even. The two results are scalars of types f32 and ui8. A quantize_linear
    with both results completes DynamicQuantizeLinear of ONNX.
    - [dynamic_scale.1] the input is f32.

    ```mlir
    %scale, %zero = graph.dynamic_scale %x : (tensor<16x64xf32>) -> (tensor<f32>, tensor<ui8>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$scale, Graph_Tensor:$zeroPoint);
}

#endif
