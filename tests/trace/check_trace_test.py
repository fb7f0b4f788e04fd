# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that check_trace.py finds each fault of a trace."""

import copy
import unittest

import check_trace


def event(name, begin, length, **more):
    return {"name": name, "cat": "pass", "ph": "X", "ts": begin, "dur": length, "pid": 1, "tid": 0, "args": {}, **more}


def metadata(name, key, value):
    return {"name": name, "ph": "M", "pid": 1, "tid": 0, "args": {key: value}}


GOOD = {
    "displayTimeUnit": "ns",
    "traceEvents": [
        metadata("process_name", "name", "compile"),
        metadata("thread_name", "name", "passes"),
        metadata("thread_sort_index", "sort_index", 0),
        event("a", 0.0, 10.5),
        event("b", 0.0, 4.0),
        event("c", 4.0, 6.5),
        event("d", 10.5, 1),
    ],
}


class CheckTrace(unittest.TestCase):
    def expect(self, problem, change):
        trace = copy.deepcopy(GOOD)
        change(trace)
        self.assertTrue(any(problem in text for text in check_trace.problems_of(trace)),
                        check_trace.problems_of(trace))

    def test_accepts_nested_events(self):
        self.assertEqual(check_trace.problems_of(GOOD), [])

    def test_shape_of_the_file(self):
        self.assertEqual(check_trace.problems_of([]), ["the trace is no object with an array 'traceEvents'"])
        self.expect("'displayTimeUnit' is neither", lambda trace: trace.pop("displayTimeUnit"))
        self.expect("the trace has no events", lambda trace: trace.update(traceEvents=[]))

    def test_keys_and_types(self):
        self.expect("event 3: 'ts' is missing", lambda trace: trace["traceEvents"][3].pop("ts"))
        self.expect("event 3: 'ts' is missing or has a wrong type: '0'",
                    lambda trace: trace["traceEvents"][3].update(ts="0"))
        self.expect("event 3: 'pid' is missing or has a wrong type: True",
                    lambda trace: trace["traceEvents"][3].update(pid=True))
        self.expect("event 3: 'ph' is 'B'", lambda trace: trace["traceEvents"][3].update(ph="B"))
        self.expect("event 3: unknown key 'x'", lambda trace: trace["traceEvents"][3].update(x=1))
        self.expect("unknown category", lambda trace: trace["traceEvents"][3].update(cat="x"))
        self.expect("'ts' or 'dur' is negative", lambda trace: trace["traceEvents"][3].update(dur=-1))
        self.expect("a kernel without 'predicted_us'", lambda trace: trace["traceEvents"][3].update(cat="kernel"))

    def test_names(self):
        self.expect("or its process has no name", lambda trace: trace["traceEvents"].pop(0))
        self.expect("or its process has no name", lambda trace: trace["traceEvents"].pop(1))
        self.expect("unknown metadata", lambda trace: trace["traceEvents"][0].update(name="x"))
        self.expect("has no 'sort_index'", lambda trace: trace["traceEvents"][2].update(args={}))
        self.expect("the name is empty", lambda trace: trace["traceEvents"][3].update(name=""))

    def test_order_and_nesting(self):
        self.expect("'d' begins at 3 before", lambda trace: trace["traceEvents"][6].update(ts=3))
        self.expect("'b' ends at 11.0, after the event around it",
                    lambda trace: trace["traceEvents"][4].update(dur=11.0))


if __name__ == "__main__":
    unittest.main()
