# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of networks on rows of tables, points and graphs, and networks with control flow.
make_kinds.py writes them."""

import math

import numpy as np

from zoo.net import kind


@kind("PointNet")
def pointnet(net):
    """PointNet on 1024 points: 1 x 1 convolutions, maximum over points, learned 3 x 3 transform"""
    def dense(y, *sizes):
        for size in sizes:
            y = net.relu(net.linear(y, size))
        return y

    def largest(y, *sizes):
        for size in sizes:
            y = net.conv_norm(y, size, 1, activate=net.relu)
        return net.ReduceMax(y, axes=[2], keepdims=0)

    x = net.add_input(1, 3, 1024)
    turn = net.linear(dense(largest(x, 64, 128, 1024), 512, 256), 9).reshape(1, 3, 3) + np.eye(3, dtype=np.float32)
    x = (x.transpose(0, 2, 1) @ turn).transpose(0, 2, 1)
    x = dense(largest(x, 64, 64, 64, 128, 1024), 512, 256)
    return net.LogSoftmax(net.linear(x, 40), axis=1)


@kind("DLRM")
def dlrm(net):
    """DLRM, batch 1: 26 embeddings, two stacks of dense layers, pairwise products"""
    dense, indices = net.add_input(1, 13), net.add_input(26, 1, dtype=np.int64)
    for size in (512, 256, 64, 16):
        dense = net.relu(net.linear(dense, size))
    rows = [dense]
    for table in range(26):
        row = net.embed(net.pick(indices, 0, table), 2000, 16)
        rows.append(net.ReduceSum(net.Unsqueeze(row, [1]), [1], keepdims=0))
    x = net.join(1, *rows).reshape(1, 27, 16)
    x = (x @ x.transpose(0, 2, 1)).reshape(1, 729)
    lower = np.flatnonzero(np.tril(np.ones((27, 27)), -1))
    x = net.join(1, dense, net.Gather(x, lower, axis=1))
    for size in (512, 256):
        x = net.relu(net.linear(x, size))
    return net.sigmoid(net.linear(x, 1))


@kind("collaborative filtering")
def ncf(net):
    """Neural collaborative filtering (NeuMF), 256 pairs of a user and an item"""
    user, item = net.add_input(256, dtype=np.int64), net.add_input(256, dtype=np.int64)
    product = net.embed(user, 6000, 32) * net.embed(item, 4000, 32)
    x = net.join(-1, net.embed(user, 6000, 128), net.embed(item, 4000, 128))
    for size in (128, 64, 32):
        x = net.relu(net.linear(x, size))
    return net.sigmoid(net.linear(net.join(-1, product, x), 1))


@kind("tabular MLP")
def tabular_mlp(net):
    """Dense layers with batch normalization on 64 rows of 100 columns"""
    x = net.norm(net.add_input(64, 100))
    for size in (400, 200, 100):
        x = net.norm(net.relu(net.linear(x, size)))
    return net.linear(x, 1)


@kind("graph network")
def graph_net(net):
    """Graph network, 256 nodes, 2048 edges: GatherND, ScatterElements and ScatterND that add"""
    x, edges = net.add_input(256, 64), net.add_input(2, 2048, dtype=np.int64)
    source, target = (net.pick(edges, 0, row) for row in (0, 1))
    column = net.Unsqueeze(target, [1])
    ones = np.ones((256, 1), np.float32), np.ones((2048, 1), np.float32)
    degree = net.ScatterND(ones[0], column, ones[1], reduction="add")
    for _ in range(3):
        message = net.GatherND(x, net.Unsqueeze(source, [1]))
        message = net.relu(net.linear(net.join(1, message, net.GatherND(x, column)), 64))
        total = net.ScatterElements(np.zeros((256, 64), np.float32), net.Expand(column, [2048, 64]), message,
                                    axis=0, reduction="add")
        x = x + net.relu(net.linear(net.join(1, x, total / degree), 64))
    return net.linear(x, 7)


@kind("If")
def branch_if(net):
    """An If selects a wide or a narrow convolution by the mean of the image"""
    x = net.conv_norm(net.image(64), 32, 3, activate=net.relu)
    bright = net.Greater(net.ReduceMean(x, keepdims=0), 0.5)
    wide = net.body([], lambda: [net.relu(net.conv(net.relu(net.conv(x, 64, 3)), 32, 3))], "wide")
    narrow = net.body([], lambda: [net.relu(net.conv(x, 32, 3, groups=32))], "narrow")
    y = net.If(bright, then_branch=wide, else_branch=narrow, types=[(x.shape, np.float32)])
    return net.classifier(y, 10)


@kind("Loop")
def loop_refine(net):
    """A Loop of 10 steps with a state, dense layers and a stacked output"""
    x = net.linear(net.add_input(1, 128), 256)
    state = net.const(np.zeros((1, 256), np.float32))

    def step(_, condition, carried):
        carried = net.Tanh(net.linear(carried, 256) + x)
        return net.Identity(condition), carried, net.linear(carried, 16)

    inputs = [("step", [], np.int64), ("continue", [], bool), ("state", [1, 256], np.float32)]
    final, rows = net.Loop(np.int64(10), np.bool_(True), state, body=net.body(inputs, step, "refine"), outputs=2,
                           types=[([1, 256], np.float32), ([10, 1, 16], np.float32)])
    return final, rows


@kind("Scan")
def scan_gru(net):
    """A Scan over 32 steps whose body is a cell of gates, batch 1, 128 units"""
    def cell(state, row):
        update, reset = (net.sigmoid(net.linear(net.join(1, row, state), 128)) for _ in range(2))
        fresh = net.Tanh(net.linear(net.join(1, row, reset * state), 128))
        state = state + update * (fresh - state)
        return state, net.Identity(state)

    x = net.add_input(32, 1, 64)
    body = net.body([("state", [1, 128], np.float32), ("row", [1, 64], np.float32)], cell, "cell")
    final, rows = net.Scan(np.zeros((1, 128), np.float32), x, body=body, num_scan_inputs=1, outputs=2,
                           types=[([1, 128], np.float32), ([32, 1, 128], np.float32)])
    return net.linear(final, 10), rows


@kind("tree ensemble")
def tree_ensemble(net):
    """TreeEnsembleRegressor (ai.onnx.ml), 100 trees of depth 6, 64 rows of 32 columns"""
    net.opsets["ai.onnx.ml"] = 1
    trees, inner, leaves = 100, 63, 64
    node = np.tile(np.arange(inner + leaves), trees)
    tree = np.repeat(np.arange(trees), inner + leaves)
    is_leaf = node >= inner
    child = np.where(is_leaf, 0, 2 * node + 1)
    count = trees * leaves
    return net.TreeEnsembleRegressor(
        net.add_input(64, 32), domain="ai.onnx.ml", n_targets=1, nodes_nodeids=node, nodes_treeids=tree,
        nodes_truenodeids=child, nodes_falsenodeids=np.where(is_leaf, 0, child + 1),
        nodes_featureids=np.where(is_leaf, 0, net.random.integers(0, 32, node.size)),
        nodes_values=np.where(is_leaf, 0, net.random.random(node.size)).astype(np.float32),
        nodes_modes=["LEAF" if leaf else "BRANCH_LEQ" for leaf in is_leaf],
        target_ids=[0] * count, target_nodeids=node[is_leaf], target_treeids=tree[is_leaf],
        target_weights=net.random.standard_normal(count).astype(np.float32), types=[([64, 1], np.float32)])


@kind("linear classifier")
def linear_classifier(net):
    """Scaler, LinearClassifier and Normalizer (ai.onnx.ml) as scikit-learn exports, 64 rows of 30 columns"""
    net.opsets["ai.onnx.ml"] = 1

    def some(*shape):
        return net.random.standard_normal(math.prod(shape)).astype(np.float32)

    x = net.Scaler(net.add_input(64, 30), domain="ai.onnx.ml", offset=some(30), scale=some(30),
                   types=[([64, 30], np.float32)])
    labels, scores = net.LinearClassifier(
        x, domain="ai.onnx.ml", outputs=2, coefficients=some(10, 30), intercepts=some(10),
        classlabels_ints=list(range(10)), multi_class=1, post_transform="SOFTMAX",
        types=[([64], np.int64), ([64, 10], np.float32)])
    return labels, net.Normalizer(scores, domain="ai.onnx.ml", norm="L1", types=[([64, 10], np.float32)])
