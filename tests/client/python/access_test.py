"""Servers that ask who calls, and encrypt."""

import asyncio
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

from servers import SERVER, SPAWN, ServerProcess

import slipstream
import slipstream.aio
from slipstream import Options, real
from slipstream.options import Retry

SPACE = {"x": real(0, 1)}
ONCE = Retry(max_attempts=1)


def new_token(identity):
    """A token, and its line for the token file."""
    made = subprocess.run([SERVER, "--new-token", identity], check=True, capture_output=True,
                          text=True, **SPAWN)
    lines = [line for line in made.stdout.splitlines() if line]
    return lines[1], lines[3] + "\n"


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.token, line = new_token("ann:trainer:*")
        tokens = pathlib.Path(cls.folder.name) / "tokens"
        tokens.write_text(line)
        cls.server = ServerProcess(["--token-file", str(tokens)])
        cls.addClassCleanup(cls.server.close)

    def create(self, study_id, options=None):
        return slipstream.create_or_load(study_id, SPACE, minimize="loss",
                                         address=self.server.address, options=options)

    def test_a_token_lets_a_trainer_work(self):
        study = self.create("given", Options(token=self.token))
        with study.suggest() as trial:
            trial.complete(0.5)
        self.assertEqual(study.best.value, 0.5)

    def test_the_token_comes_from_the_environment(self):
        with mock.patch.dict(os.environ, SLIPSTREAM_TOKEN=self.token):
            self.assertEqual(len(self.create("environment").trials), 0)

    def test_without_a_token_the_error_says_what_to_do(self):
        for options in Options(retry=ONCE), Options(retry=ONCE, token="ann.wrong"):
            with self.assertRaisesRegex(slipstream.SlipstreamError, "token"):
                self.create("refused", options)

    def test_the_asyncio_client_sends_it_too(self):
        async def work():
            async with await slipstream.aio.create_or_load(
                    "asyncio", SPACE, minimize="loss", address=self.server.address,
                    options=Options(token=self.token)) as study:
                async with await study.suggest() as trial:
                    await trial.complete(0.25)
                return (await study.best()).value

        self.assertEqual(asyncio.run(asyncio.wait_for(work(), 60)), 0.25)

    def test_a_token_is_not_shown(self):
        self.assertNotIn(self.token, repr(Options(token=self.token)))

    def test_certificates_need_each_other(self):
        for settings in {"certificate": "c"}, {"key": "k"}, {"ca": "a", "key": "k"}:
            with self.assertRaisesRegex(ValueError, "ca="):
                self.create("unfit", Options(**settings))
        with self.assertRaises(FileNotFoundError):
            self.create("unfit", Options(ca="/nowhere"))


if __name__ == "__main__":
    unittest.main()
