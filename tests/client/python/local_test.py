"""A server for a script's lifetime: it is there at once, and ends, or goes on, with its scripts."""

import contextlib
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

from servers import PATIENCE, SERVER, SPAWN, ServerProcess
from waiting import wait_until

import slipstream
from slipstream import local_server, log
from slipstream._local import server_process

SPACE = {"lr": log(1e-5, 1)}
# Prints where its server is and which process that is, then obeys the lines that it reads.
SCRIPT = """
import sys, slipstream
from slipstream import log
server = slipstream.local(sys.argv[1])
study = slipstream.create_or_load("shared", {"lr": log(1e-5, 1)}, minimize="loss")
print(server.address, server.process_id, flush=True)
for line in sys.stdin:
    try:
        with study.suggest() as trial:
            trial.complete(trial["lr"])
        print(len(study.trials), flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def is_running(process_id):
    try:
        text = pathlib.Path(f"/proc/{process_id}/stat").read_text()
    except FileNotFoundError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


class Script:
    """A process of its own with a local server."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, **SPAWN)
        self.address, process_id = self.process.stdout.readline().split()
        self.server_process_id = None if process_id == "None" else int(process_id)

    def evaluate(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        self.process.wait(PATIENCE)


class MeetingEvent(threading.Event):
    """Two threads that look at it at once both do so before either goes on."""

    def __init__(self):
        super().__init__()
        self._meeting = threading.Barrier(2)

    def is_set(self):
        there = super().is_set()
        try:
            self._meeting.wait(0.2)
        except threading.BrokenBarrierError:
            pass  # The other one waits for its turn.
        return there


class Local(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = str(self.folder / "tuning.db")
        variables = {"SLIPSTREAM_FLAG_FILE": "/no/such/file", "TMPDIR": folder.name,
                     "PATH": f"{os.path.dirname(SERVER)}:{os.environ['PATH']}"}
        patched = unittest.mock.patch.dict(os.environ, variables)
        patched.start()
        self.addCleanup(patched.stop)
        tempfile.tempdir = None
        self.addCleanup(setattr, tempfile, "tempdir", None)

    def script(self):
        script = Script(self.path)
        self.addCleanup(script.close)
        return script

    def evaluate(self):
        study = slipstream.create_or_load("shared", SPACE, minimize="loss")
        with study.suggest() as trial:
            trial.complete(trial["lr"])
        return len(study.trials)

    def test_it_keeps_its_studies_in_the_file(self):
        for count in (1, 2):
            with slipstream.local(self.path) as server:
                self.assertEqual(os.environ["SLIPSTREAM_ADDRESS"], server.address)
                self.assertEqual(self.evaluate(), count)
            self.assertFalse(is_running(server.process_id))
        self.assertTrue(os.path.isfile(self.path))
        self.assertNotIn("SLIPSTREAM_ADDRESS", os.environ)

    def test_servers_may_be_closed_in_any_order(self):
        for paths in ((self.path, self.folder / "other.db"), (self.path, self.path)):
            with self.subTest(paths), unittest.mock.patch.dict(os.environ):
                first, second = map(slipstream.local, paths)
                first.close()
                self.assertEqual(os.environ["SLIPSTREAM_ADDRESS"], second.address)
                second.close()
                self.assertNotIn("SLIPSTREAM_ADDRESS", os.environ)
                self.assertNotIn("SLIPSTREAM_LOCAL_SERVER", os.environ)

    def test_threads_may_close_a_server_at_once(self):
        server = slipstream.local(self.path)
        server._closing = MeetingEvent()
        with ThreadPoolExecutor(2) as threads:
            for closed in [threads.submit(server.close) for _ in range(2)]:
                closed.result()
        self.assertNotIn("SLIPSTREAM_ADDRESS", os.environ)

    def test_an_address_that_a_program_sets_between_servers_comes_back(self):
        with unittest.mock.patch.dict(os.environ):
            first = slipstream.local(self.path)
            os.environ["SLIPSTREAM_ADDRESS"] = "other:7411"
            second = slipstream.local(self.folder / "other.db")
            first.close()
            second.close()
            self.assertEqual(os.environ["SLIPSTREAM_ADDRESS"], "other:7411")

    def test_a_token_and_certificates_for_another_server_do_not_matter(self):
        others = {"SLIPSTREAM_CA": "system", "SLIPSTREAM_TOKEN": "of-another-server"}
        with unittest.mock.patch.dict(os.environ, others):
            with slipstream.local(self.path):
                study = slipstream.create_or_load("first", SPACE, minimize="loss")
                self.assertEqual(study.trials, [])
        self.assertNotIn("SLIPSTREAM_LOCAL_SERVER", os.environ)

    def test_a_study_that_was_pickled_joins_the_file(self):
        script = textwrap.dedent("""
            import os, pickle, slipstream, sys
            study = pickle.loads(bytes.fromhex(sys.stdin.readline()))
            with study.suggest() as trial:
                trial.complete(trial.lr)
            print(len(study.trials), os.environ["SLIPSTREAM_ADDRESS"])
        """)

        def run():
            done = subprocess.run([sys.executable, "-c", script], input=pickled, text=True,
                                  check=True, stdout=subprocess.PIPE, timeout=PATIENCE, **SPAWN)
            return done.stdout.split()

        with slipstream.local(self.path) as server:
            study = slipstream.create_or_load("shared", SPACE, minimize="loss")
            pickled = pickle.dumps(study).hex() + "\n"
            self.assertEqual(pickle.loads(bytes.fromhex(pickled))._service, study._service)
            self.assertEqual(run(), ["1", server.address])
        self.assertEqual(run()[0], "2")

    def pickled(self):
        with slipstream.local(self.path):
            return pickle.dumps(slipstream.create_or_load("shared", SPACE, minimize="loss"))

    def test_a_study_that_was_pickled_does_not_replace_the_servers_address(self):
        pickled = self.pickled()
        with unittest.mock.patch.dict(os.environ, {"SLIPSTREAM_ADDRESS": "elsewhere:7411"}):
            study = pickle.loads(pickled)
            (server,) = local_server._open
            self.addCleanup(server.close)
            self.assertEqual(os.environ["SLIPSTREAM_ADDRESS"], "elsewhere:7411")
            self.assertEqual(study._service.address, server.address)
            self.assertEqual(len(study.trials), 0)
            server.close()
            self.assertEqual(os.environ["SLIPSTREAM_ADDRESS"], "elsewhere:7411")

    def test_a_study_that_was_pickled_needs_its_file(self):
        pickled = self.pickled()
        os.rename(self.path, f"{self.path}.moved")
        with self.assertRaisesRegex(slipstream.LocalServerError, f"no file {self.path}, in which"):
            pickle.loads(pickled)
        self.assertFalse(os.path.exists(self.path))

    def test_a_folder_is_taken_too(self):
        with slipstream.local(self.folder / "studies"):
            self.assertEqual(self.evaluate(), 1)
        self.assertTrue((self.folder / "studies/slipstream.db").is_file())

    def test_the_server_ends_with_a_script_that_is_killed(self):
        script = self.script()
        self.assertEqual(script.evaluate(), 1)
        script.kill()
        wait_until(lambda: not is_running(script.server_process_id), "the server has ended")
        with slipstream.local(self.path):
            self.assertEqual(self.evaluate(), 2)

    def test_a_fork_that_lives_longer_keeps_neither_the_server_nor_the_file(self):
        server = slipstream.local(self.path)
        child = os.fork()
        if child == 0:
            signal.alarm(PATIENCE)
            signal.pause()
        try:
            with unittest.mock.patch.object(server_process, "PATIENCE", 10), \
                    unittest.mock.patch.object(subprocess.Popen, "kill") as kill:
                server.close()
            kill.assert_not_called()
            with slipstream.local(self.path) as again:
                self.assertIsNotNone(again.process_id)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def test_the_end_of_a_fork_leaves_the_studies_of_an_adapter(self):
        script = """
            import os, slipstream, sys
            from slipstream.adapters._servers import choose_server
            address = choose_server(None)
            child = os.fork()
            if child == 0:
                sys.exit()
            os.waitpid(child, 0)
            print(os.path.exists(slipstream.local_server._open[0].file))
        """
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("SLIPSTREAM_ADDRESS", None)
            told = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], text=True,
                                  stdout=subprocess.PIPE, check=True, **SPAWN).stdout
        self.assertEqual(told, "True\n")

    def test_scripts_share_a_server_and_one_goes_on_when_its_leader_is_killed(self):
        leader, follower = self.script(), self.script()
        self.assertEqual(follower.address, leader.address)
        self.assertIsNone(follower.server_process_id)
        with slipstream.local(self.path) as server:
            self.assertEqual((leader.evaluate(), follower.evaluate(), self.evaluate()), (1, 2, 3))
            leader.kill()
            self.assertEqual((follower.evaluate(), self.evaluate()), (4, 5))
            follower.close()
            self.assertEqual(self.evaluate(), 6)
            self.assertTrue(is_running(server.process_id))

    def test_many_scripts_that_start_at_once_share_a_server(self):
        command = [sys.executable, "-c", SCRIPT, self.path]
        scripts = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, **SPAWN)
                   for _ in range(6)]
        outputs = [script.communicate("\n\n", timeout=PATIENCE)[0] for script in scripts]
        self.assertEqual([script.returncode for script in scripts], [0] * 6, outputs)
        with slipstream.local(self.path):
            self.assertEqual(self.evaluate(), 13)

    def test_a_server_that_was_killed_is_started_again(self):
        with slipstream.local(self.path) as server:
            self.assertEqual(self.evaluate(), 1)
            os.kill(server.process_id, signal.SIGKILL)
            self.assertEqual(self.evaluate(), 2)

    def test_ctrl_c_ends_the_script_alone(self):
        script = self.script()
        os.kill(script.server_process_id, signal.SIGINT)  # As a terminal sends it to all.
        self.assertEqual(script.evaluate(), 1)
        self.assertTrue(is_running(script.server_process_id))
        script.close()
        self.assertFalse(is_running(script.server_process_id))

    def test_a_file_that_another_server_holds_is_refused_naming_it(self):
        del os.environ["SLIPSTREAM_FLAG_FILE"]
        server = ServerProcess()
        self.addCleanup(server.close)
        with self.assertRaisesRegex(slipstream.LocalServerError, "slipstream_server, process") as told:
            slipstream.local(server.data)
        self.assertNotIn("info starting", str(told.exception))
        self.assertNotIn("SLIPSTREAM_ADDRESS", os.environ)

    def test_a_file_that_is_called_otherwise_is_no_store(self):
        table = self.folder / "results.csv"
        table.write_text("lr,loss\n0.1,0.5\n")
        with self.assertRaisesRegex(slipstream.LocalServerError, r"csv is a file of another kind: .* \*.db"):
            slipstream.local(table)
        self.assertEqual(table.read_text(), "lr,loss\n0.1,0.5\n")

    def test_without_the_program_the_error_says_how_to_get_it(self):
        def missing(name):
            with unittest.mock.patch("slipstream.programs._FOLDERS", ()):
                with unittest.mock.patch.dict(os.environ, {"PATH": ""}):
                    from slipstream.programs import find_program
                    return find_program(name)

        with unittest.mock.patch.object(server_process, "find_program", missing):
            with self.assertRaisesRegex(slipstream.ProgramMissing, "install the wheel"):
                slipstream.local(self.path)

    def test_a_meeting_place_that_others_could_open_is_refused(self):
        place = self.folder / f"slipstream-{os.getuid()}"
        place.mkdir()
        place.chmod(0o755)
        with self.assertRaisesRegex(slipstream.LocalServerError, "only this user"):
            slipstream.local(self.path)


if __name__ == "__main__":
    unittest.main()
