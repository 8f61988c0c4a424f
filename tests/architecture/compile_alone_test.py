"""The command `compile_alone` on small trees in which some file lacks an #include."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "testing"))
from waiting import wait_until  # noqa: E402

COMMAND = pathlib.Path(__file__).resolve().parent / "compile_alone"


class CompileAlone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "repository"
        command = f"c++ -I{self.root} -isystem {self.root.parent / 'library'} -c core/a.cc"
        self.write("build/compile_commands.json", json.dumps([{"command": command}]))
        # A library of small headers, as the standard library's take the compiler long.
        for name in ("Text", "List", "Map"):
            self.write(f"../library/{name}", f"#pragma once\nstruct {name} {{}};\n")
        # Enough files that reach the same large header to get a precompiled one.
        self.write("../library/absl/status/statusor.h", "#include <Text>\n#include <List>\n")
        for number in range(8):
            self.write(f"core/good{number}.cc", '#include "absl/status/statusor.h"\nText text;\n')

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, *more):
        finished = subprocess.run([COMMAND, "--root", self.root, "--build", self.root / "build", *more],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return finished.returncode, finished.stdout

    def test_a_proper_tree_passes(self):
        self.assertEqual(self.check(), (0, "8 files compile alone.\n"))

    def test_a_header_that_lacks_an_include_is_found_though_its_source_has_it(self):
        self.write("core/a.h", "inline List Numbers() { return {}; }\n")
        self.write("core/a.cc", '#include <List>\n#include "core/a.h"\nauto numbers = Numbers();\n')
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("core/a.h does not compile alone:", text)
        self.assertIn("List", text)
        self.assertIn("1 of 10 files do not compile alone.", text)

    def test_a_source_that_lacks_an_include_is_found_though_its_neighbours_have_it(self):
        self.write("core/b.cc", "Text text;\n")
        for more in ([], ["--plain"]):
            code, text = self.check(*more)
            self.assertEqual(code, 1)
            self.assertIn("core/b.cc does not compile alone:", text)
            self.assertIn("1 of 9 files", text)

    def test_a_source_gets_only_the_library_headers_that_it_reaches(self):
        self.write("../library/absl/strings/str_cat.h", "#include <Map>\n")
        for number in range(8):
            self.write(f"core/more{number}.cc",
                       '#include "absl/status/statusor.h"\n#include "absl/strings/str_cat.h"\n')
        self.write("core/c.cc", '#include "absl/status/statusor.h"\nMap numbers;\n')
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("core/c.cc does not compile alone:", text)
        self.assertIn("1 of 17 files", text)

    def test_sources_that_share_no_large_header_with_others_are_compiled_without(self):
        for name in ("strings/str_cat", "time/time"):
            self.write(f"../library/absl/{name}.h", "#include <Map>\n")
            self.write(f"core/{pathlib.Path(name).name}.cc",
                       f'#include "absl/{name}.h"\nMap numbers;\n')
        self.write("core/none.cc", "int number;\n")
        self.assertEqual(self.check(), (0, "11 files compile alone.\n"))

    def remembering(self, *names):
        files = [self.root / name for name in names]
        return self.check("--remember", self.root.parent / "passed", *files)

    def test_what_has_passed_is_not_compiled_again(self):
        self.write("core/a.cc", "int number;\n")
        self.write("core/b.cc", "int number;\n")
        both = ("core/a.cc", "core/b.cc")
        self.assertEqual(self.remembering(*both), (0, "2 files compile alone.\n"))
        self.assertEqual(self.remembering(*both), (0, "2 files compile alone, 2 of them as before.\n"))
        self.write("core/a.cc", "int other;\n")
        self.assertEqual(self.remembering(*both), (0, "2 files compile alone, 1 of them as before.\n"))

    def test_a_source_is_compiled_again_when_a_header_that_it_reaches_has_changed(self):
        self.write("core/far.h", "struct Far {};\n")
        self.write("core/near.h", '#include "core/far.h"\n')
        self.write("core/a.cc", '#include "core/near.h"\nFar far;\n')
        self.assertEqual(self.remembering("core/a.cc")[0], 0)
        self.write("core/far.h", "\n")
        code, text = self.remembering("core/a.cc")
        self.assertEqual(code, 1)
        self.assertIn("core/a.cc does not compile alone:", text)

    def test_what_has_failed_fails_again(self):
        self.write("core/a.cc", "Far far;\n")
        for _ in range(2):
            code, text = self.remembering("core/a.cc")
            self.assertEqual(code, 1)
            self.assertIn("core/a.cc does not compile alone:", text)

    def test_a_change_of_the_protocol_counts_where_its_headers_are_reached(self):
        self.write("../library/slipstream/v1/study.pb.h", "struct Study {};\n")
        self.write("core/a.cc", "int number;\n")
        self.write("core/b.h", '#include "slipstream/v1/study.pb.h"\n')
        self.write("core/b.cc", '#include "core/b.h"\nStudy study;\n')
        self.write("proto/a.proto", "message Study {}\n")
        both = ("core/a.cc", "core/b.cc")
        self.assertEqual(self.remembering(*both), (0, "2 files compile alone.\n"))
        self.write("proto/a.proto", "// Told in words.\nmessage Study {}  // As before.\n")
        self.assertEqual(self.remembering(*both), (0, "2 files compile alone, 2 of them as before.\n"))
        self.write("proto/a.proto", "message Trial {}\n")
        self.assertEqual(self.remembering(*both), (0, "2 files compile alone, 1 of them as before.\n"))

    def test_other_flags_count_as_a_change(self):
        self.write("core/a.cc", "int number;\n")
        self.assertEqual(self.remembering("core/a.cc")[0], 0)
        command = json.loads((self.root / "build/compile_commands.json").read_text())[0]["command"]
        self.write("build/compile_commands.json", json.dumps([{"command": f"{command} -DNEW"}]))
        self.assertEqual(self.remembering("core/a.cc"), (0, "1 files compile alone.\n"))

    def test_what_passed_before_the_check_was_killed_is_not_compiled_again(self):
        self.write("core/a.cc", "int number;\n")
        self.write("core/slow.cc", '#include "slow.inc"\n')
        os.mkfifo(self.root / "core/slow.inc")  # The compiler waits for whoever writes it.
        running = subprocess.Popen([COMMAND, "--root", self.root, "--build", "build", "--remember",
                                    self.root.parent / "passed", "core/a.cc", "core/slow.cc"],
                                   cwd=self.root, start_new_session=True)
        wait_until(lambda: any((self.root.parent / "passed").glob("*")), "a file has passed")
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        self.assertEqual(self.remembering("core/a.cc"), (0, "1 files compile alone, 1 of them as before.\n"))

    def test_a_build_that_was_not_configured_is_an_error(self):
        (self.root / "build/compile_commands.json").unlink()
        code, text = self.check()
        self.assertEqual(code, 2)
        self.assertIn("configure the build first", text)


if __name__ == "__main__":
    unittest.main()
