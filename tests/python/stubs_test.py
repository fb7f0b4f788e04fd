# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The type stubs agree with the packages: the same names and parameters, and a docstring for everything public."""

import ast
import importlib
import inspect
import os
import unittest

PACKAGES = ("convoy_runtime", "convoy", "convoy.records")


def stub_of(package):
    module = importlib.import_module(package)
    with open(module.__file__ + "i", encoding="utf-8") as file:
        return module, ast.parse(file.read())


def parameters(function):
    """Returns the names of a stub's parameters, with stars."""
    arguments = function.args
    names = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    names += ["*" + arguments.vararg.arg] if arguments.vararg else []
    names += [argument.arg for argument in arguments.kwonlyargs]
    return names + (["**" + arguments.kwarg.arg] if arguments.kwarg else [])


def real_parameters(function):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(parameter.kind, "") + name for name, parameter in inspect.signature(function).parameters.items()]


class StubsTest(unittest.TestCase):
    def test_public_names(self):
        for package in PACKAGES:
            module, stub = stub_of(package)
            named = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
            named |= {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}
            named |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
            self.assertEqual(named, set(module.__all__), package)

    def test_functions(self):
        for package in PACKAGES:
            module, stub = stub_of(package)
            for node in stub.body:
                if isinstance(node, ast.FunctionDef):
                    with self.subTest(f"{package}.{node.name}"):
                        self.assertEqual(parameters(node), real_parameters(getattr(module, node.name)))

    def test_members(self):
        for package in PACKAGES:
            module, stub = stub_of(package)
            for node in stub.body:
                for member in node.body if isinstance(node, ast.ClassDef) else ():
                    if not isinstance(member, ast.FunctionDef):
                        continue
                    with self.subTest(f"{package}.{node.name}.{member.name}"):
                        real = getattr(getattr(module, node.name), member.name)
                        is_python = inspect.isfunction(real)
                        if is_python and member.name != "__init__" or is_python and node.name == "InferenceSession":
                            self.assertEqual(parameters(member), real_parameters(real))

    def test_docstrings(self):
        for package in PACKAGES:
            module = importlib.import_module(package)
            self.assertTrue(module.__doc__)
            for name in module.__all__:
                value = getattr(module, name)
                if not callable(value):
                    continue
                self.assertTrue(inspect.getdoc(value), name)
                for member, content in vars(value).items() if inspect.isclass(value) else ():
                    if not member.startswith("_") and (callable(content) or isinstance(content, property)):
                        self.assertTrue(inspect.getdoc(content), f"{name}.{member}")

    def test_packages_are_typed(self):
        for package in PACKAGES:
            folder = os.path.dirname(importlib.import_module(package).__file__)
            self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))


if __name__ == "__main__":
    unittest.main()
