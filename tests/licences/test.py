"""That tests/licences/check refuses what deny.toml refuses."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
PATH = str(pathlib.Path(__file__).with_name("check"))
loader = importlib.machinery.SourceFileLoader("check", PATH)
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
loader.exec_module(check)

RULES = {
    "licenses": {"allow": ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]},
    "bans": {"wildcards": "deny", "allow-wildcard-paths": True, "deny": [{"crate": "openssl-sys"}]},
    "sources": {"unknown-registry": "deny", "unknown-git": "deny"},
}
CRATES = "registry+https://github.com/rust-lang/crates.io-index"


def faults(**package):
    package = {"id": "x", "name": "x", "version": "1.0.0", "license": "MIT", "source": CRATES, "dependencies": []} | package
    return list(check.faults({"packages": [package], "resolve": {"nodes": [{"id": "x"}]}}, RULES))


class Check(unittest.TestCase):
    def test_a_plain_crate_passes(self):
        self.assertEqual(faults(), [])

    def test_licence_expressions(self):
        allowed = set(RULES["licenses"]["allow"])
        for expression in ("MIT", "MIT/GPL-3.0", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND Apache-2.0",
                           "Apache-2.0 WITH LLVM-exception", "GPL-3.0 AND X OR MIT"):
            self.assertTrue(check.allows(expression, allowed), expression)
        for expression in ("GPL-3.0", "MIT AND GPL-3.0", "MIT WITH LLVM-exception", "(MIT OR GPL-3.0) AND GPL-3.0",
                           "MIT AND (GPL-3.0 OR MPL-2.0)"):
            self.assertFalse(check.allows(expression, allowed), expression)
        for expression in ("", "MIT OR", "(MIT", "MIT MIT", "MIT)"):
            with self.assertRaises(ValueError, msg=expression):
                check.allows(expression, allowed)

    def test_refused_packages(self):
        self.assertEqual(faults(license="MPL-2.0"), ["x 1.0.0 has the licence MPL-2.0, which deny.toml does not allow"])
        self.assertEqual(faults(license=None), ["x 1.0.0 names no licence"])
        self.assertEqual(faults(name="openssl-sys"), ["openssl-sys 1.0.0 is banned"])
        self.assertEqual(faults(source="git+https://a.example/x"), ["x 1.0.0 comes from git+https://a.example/x"])
        self.assertEqual(faults(source="registry+https://a.example/"), ["x 1.0.0 comes from registry+https://a.example/"])

    def test_versions_left_open(self):
        any_version = {"name": "y", "req": "*"}
        self.assertEqual(faults(source=None, dependencies=[any_version]), ["x 1.0.0 takes any version of y"])
        by_path = any_version | {"path": "/y"}
        self.assertEqual(faults(source=None, publish=[], dependencies=[by_path]), [])
        self.assertEqual(faults(source=None, publish=None, dependencies=[by_path]), ["x 1.0.0 takes any version of y"])


unittest.main()
