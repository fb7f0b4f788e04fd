# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for reductions: axes as attribute and as input, integers, empty groups and NaN."""

import numpy as np
from case import Case, random
from tensor import everywhere

FUNCTIONS = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceL1": lambda x, **k: np.sum(np.abs(x), **k),
    "ReduceL2": lambda x, **k: np.sqrt(np.sum(x * x, **k)),
    "ReduceLogSum": lambda x, **k: np.log(np.sum(x, **k)),
    "ReduceLogSumExp": lambda x, **k: np.log(np.sum(np.exp(x), **k)),
    "ReduceSumSquare": lambda x, **k: np.sum(x * x, **k),
}


def float_cases():
    x = np.abs(random(2, 3, 4, 5)) + np.float32(0.25)
    for op, function in FUNCTIONS.items():
        for k, axes in enumerate([(1,), (0, -1), (3, 1, 2), None]):
            y = function(x.astype(np.float64), axis=axes, keepdims=k % 2 == 0).astype(np.float32)
            old = {"keepdims": int(k % 2 == 0)}
            if axes:
                old["axes"] = list(axes)
            yield Case(f"{op}_11_{k}", op, 11, [x], [y], old)
            new = {"keepdims": int(k % 2 == 0)}
            inputs = [x, np.array(axes)] if axes else [x]
            case = Case(f"{op}_18_{k}", op, 18, inputs, [y], new)
            yield from everywhere(case, 1) if axes else everywhere(case)
    large = np.array([[1000, 1000.5], [-2000, -2000]], np.float32)
    yield Case("reduce_log_sum_exp_large", "ReduceLogSumExp", 18, [large, np.array([1])],
               [np.logaddexp(*large.astype(np.float64).T).astype(np.float32)],
               {"keepdims": 0})  # fmt: skip


def type_cases():
    x = np.array([[100, 100, 100], [-100, -100, 7]], np.int8)
    sums = np.array([44, 63], np.int8)  # modulo 256
    yield Case("reduce_sum_wraps", "ReduceSum", 11, [x], [sums], {"axes": [1], "keepdims": 0})
    x = np.array([[7, -8], [-7, 2]], np.int32)
    yield Case("reduce_mean_truncates", "ReduceMean", 18, [x, np.array([1])],
               [np.array([0, -2], np.int32)], {"keepdims": 0})  # fmt: skip
    for dtype in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
        info = np.iinfo(dtype)
        x = np.array([[info.min, info.max, 3]], dtype)
        name = np.dtype(dtype).name
        high, low = np.array([[info.max]], dtype), np.array([[info.min]], dtype)
        yield Case(f"reduce_max_{name}", "ReduceMax", 20, [x], [high])
        yield Case(f"reduce_min_{name}", "ReduceMin", 20, [x], [low])
        empty = np.zeros((2, 0), dtype)
        yield Case(f"reduce_max_of_none_{name}", "ReduceMax", 20, [empty, np.array([1])],
                   [np.full((2, 1), info.min, dtype)])  # fmt: skip
    x = np.array([[1, np.nan, 3], [4, 5, 6]], np.float32)
    yield Case("reduce_max_nan", "ReduceMax", 18, [x, np.array([1])],
               [np.array([[np.nan], [6]], np.float32)])  # fmt: skip
    halves = (np.ones((1, 5000)) * 0.1).astype(np.float16)
    total = np.sum(halves.astype(np.float64), axis=1, keepdims=True).astype(np.float16)
    yield Case("reduce_sum_rounds_once", "ReduceSum", 13, [halves, np.array([1])], [total])


def noop_cases():
    x = random(2, 3)
    none = np.array([], np.int64)
    yield from everywhere(Case("reduce_noop", "ReduceSum", 13, [x, none], [x],
                               {"noop_with_empty_axes": 1}), 1)  # fmt: skip
    yield from everywhere(Case("reduce_noop_absolute", "ReduceL1", 18, [x, none], [np.abs(x)],
                               {"noop_with_empty_axes": 1}), 1)  # fmt: skip
    yield from everywhere(Case("reduce_empty_axes_are_all", "ReduceMax", 18, [x, none],
                               [x.max(keepdims=True)]), 1)  # fmt: skip


def position_cases():
    x = np.array([[3, 1, 3, 0], [2, 2, 2, 2]], np.float32)
    for last in (0, 1):
        first = [[0, 0], [2, 3]][last]
        yield Case(f"arg_max_ties_{last}", "ArgMax", 13, [x], [np.array(first)],
                   {"axis": 1, "keepdims": 0, "select_last_index": last})  # fmt: skip
    x = random(3, 4, 5)
    for axis in (0, 1, -1):
        y = np.argmin(x, axis=axis)
        case = Case(f"arg_min_{axis}", "ArgMin", 11, [x], [y], {"axis": axis, "keepdims": 0})
        yield from everywhere(case)
    x = np.array([1, np.nan, 9, np.nan], np.float32)
    yield Case("arg_max_nan", "ArgMax", 13, [x], [np.array([1])], {"axis": 0})
    x = np.array([2**63 + 5, 2**63 + 6, 1], np.uint64)
    yield Case("arg_max_uint64", "ArgMax", 13, [x], [np.array([1])], {"axis": 0})


def running_cases():
    x = random(3, 4, 5)
    for axis in (0, 1, -1):
        y = np.cumsum(x.astype(np.float64), axis=axis).astype(np.float32)
        inputs = [x, np.array(axis, np.int32)]
        yield from everywhere(Case(f"cum_sum_{axis}", "CumSum", 11, inputs, [y]), 1)
    x = np.array([1, 2, 3, 4], np.int32)
    rows = [((0, 0), [1, 2, 6, 24]), ((1, 0), [1, 1, 2, 6]), ((0, 1), [24, 24, 12, 4]),
            ((1, 1), [24, 12, 4, 1])]  # fmt: skip
    for (exclusive, reverse), y in rows:
        attributes = {"exclusive": exclusive, "reverse": reverse}
        yield Case(f"cum_prod_{exclusive}{reverse}", "CumProd", 26, [x, np.array(0)],
                   [np.array(y, np.int32)], attributes)  # fmt: skip
    x = np.full(3, 2**30 + 1, np.int32)
    yield Case("cum_sum_wraps", "CumSum", 14, [x, np.array(0)], [np.cumsum(x, dtype=np.int32)])


def cases():
    for family in (float_cases, type_cases, noop_cases, position_cases, running_cases):
        yield from family()
