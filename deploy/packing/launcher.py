#!python
"""Becomes the program of this name, which came with the Python package slipstream."""

import importlib.util
import os
import sys

package = os.path.dirname(importlib.util.find_spec("slipstream").origin)
program = os.path.join(package, "_programs", "bin", "@PROGRAM@")
os.execv(program, [program, *sys.argv[1:]])
