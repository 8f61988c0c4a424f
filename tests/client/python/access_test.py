"""Servers that ask who calls, and encrypt."""

import asyncio
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest
from unittest import mock

from servers import SERVER, SPAWN, ServerProcess
from waiting import wait_until

import slipstream
import slipstream.aio
from slipstream import Options, real
from slipstream.options import Retry, choose_address

SPACE = {"x": real(0, 1)}
ONCE = Retry(max_attempts=1)


def new_token(identity):
    """A token, and its line for the token file."""
    made = subprocess.run([SERVER, "--new-token", identity], check=True, capture_output=True,
                          text=True, **SPAWN)
    token, line = made.stdout.splitlines()
    return token, line + "\n"


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.token, line = new_token("ann:trainer:*")
        cls.token_of_vision, of_vision = new_token("bob:trainer:vision")
        cls.token_of_all, of_all = new_token("cy:admin:*")
        tokens = pathlib.Path(cls.folder.name) / "tokens"
        tokens.write_text(line + of_vision + of_all)
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
            with self.assertRaisesRegex(slipstream.Unauthenticated, "token"):
                self.create("refused", options)

    def test_what_the_role_does_not_allow_has_an_error_of_its_own(self):
        self.create("kept", Options(token=self.token))
        with self.assertRaises(slipstream.PermissionDenied) as raised:
            slipstream.delete_study("kept", address=self.server.address,
                                    options=Options(token=self.token))
        self.assertIsInstance(raised.exception, slipstream.ServerError)
        self.assertTrue(issubclass(slipstream.Unauthenticated, slipstream.ServerError))

    def test_a_caller_of_another_project_is_told_how_to_name_it(self):
        with self.assertRaisesRegex(slipstream.PermissionDenied, "name the project: project=, or "
                                    "the environment variable SLIPSTREAM_PROJECT$"):
            self.create("elsewhere", Options(token=self.token_of_vision))

    def test_a_trainer_is_told_which_sources_it_may_name(self):
        with self.assertRaisesRegex(
                slipstream.PermissionDenied, "with this token, sources= can be \"all\" or name source "
                r"tasks .*slipstream.sources\(\) lists them$"):
            slipstream.create_or_load("learns", SPACE, minimize="loss",
                                      sources=[[{"x": 0.5, "loss": 1}]],
                                      address=self.server.address,
                                      options=Options(token=self.token))

    def test_titles_that_may_not_be_read_are_left_out(self):
        at = {"address": self.server.address, "options": Options(token=self.token_of_all)}
        rows = [{"x": x, "loss": x} for x in (0, 0.5, 1)]
        task = slipstream.register_source(rows, SPACE, minimize="loss", title="last year", **at)
        study = slipstream.create_or_load("learner", SPACE, minimize="loss", preset="scaml",
                                          sources=[task], project="vision", **at)

        def suggest():
            number = study.suggest().number
            return number if study.source_weights(number) else None

        number = wait_until(suggest, "the model of the source task was fitted")
        at["options"] = Options(token=self.token_of_vision)
        for one, titles in ((study, {task.name: "last year"}),
                            (slipstream.load("learner", project="vision", **at), {})):
            self.assertEqual(list(one.explain(number).sources), [task.name])
            self.assertEqual(one.explain(number).titles, titles)
            self.assertEqual(one.source_titles(), titles)

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

    def test_one_that_cannot_be_sent_is_refused_without_being_shown(self):
        for wrong in (self.token + "\n", "\u00e4" + self.token, self.token + " "):
            with self.assertRaisesRegex(ValueError, r"token has a space.*strip\(\)") as raised:
                slipstream.load("nobody", address=self.server.address,
                                options=Options(token=wrong, retry=ONCE))
            self.assertNotIn(self.token, str(raised.exception))

    def test_a_pickled_study_has_no_secrets(self):
        self.create("pickled", Options(token=self.token, retry=ONCE))
        study = slipstream.load("pickled", address=self.server.address,
                                options=Options(token=self.token, retry=ONCE))
        pickled = pickle.dumps(study)
        self.assertNotIn(self.token.encode(), pickled)
        with self.assertRaisesRegex(slipstream.SlipstreamError, "token"):
            pickle.loads(pickled)
        with mock.patch.dict(os.environ, {"SLIPSTREAM_TOKEN": self.token}):
            self.assertEqual(pickle.loads(pickled).name, study.name)
        with self.assertRaisesRegex(TypeError, "ca="):
            Options(credentials=object()).without_secrets()

    def test_certificates_need_each_other(self):
        for settings, missing in (({"certificate": "c"}, "key="), ({"key": "k"}, "certificate="),
                                  ({"ca": "a", "key": "k"}, "certificate="),
                                  ({"certificate": "c", "key": "k"}, "ca=")):
            with self.assertRaisesRegex(ValueError, f"is given without {missing} .*: give the"):
                self.create("unfit", Options(**settings))
        with self.assertRaises(FileNotFoundError):
            self.create("unfit", Options(ca="/nowhere"))


class Addresses(unittest.TestCase):
    def test_one_that_cannot_be_meant_is_refused_at_once(self):
        for address in ("http://127.0.0.1:27411", "http://127.0.0.1", "grpc://host:7411",
                        ":7411", "host:0", "host:65536", "host:", "host:port", "::1:7411",
                        "a b:7411", "a b", "user@host:7411", "host:7411/", "host:7411\n", "host\n"):
            with self.subTest(address):
                with self.assertRaisesRegex(ValueError, "^address=.*must have the form host:port"):
                    slipstream.load("digits", address=address)
                with self.assertRaisesRegex(ValueError, "host:port"):
                    asyncio.run(slipstream.aio.load("digits", address=address))
                with mock.patch.dict(os.environ, {"SLIPSTREAM_ADDRESS": address}):
                    with self.assertRaisesRegex(ValueError, "^SLIPSTREAM_ADDRESS=.*host:port"):
                        slipstream.sources()
        with self.assertRaisesRegex(TypeError, "address=7411 must be a string"):
            slipstream.sources(address=7411)

    def test_a_host_alone_has_the_default_port(self):
        for address, complete in {"127.0.0.1": "127.0.0.1:7411", "host": "host:7411",
                                  "my_host.example": "my_host.example:7411", "::1": "[::1]:7411",
                                  "[::1]": "[::1]:7411", "fe80::1%eth0": "[fe80::1%eth0]:7411",
                                  "[::1:7411]": "[::1:7411]:7411"}.items():
            self.assertEqual(choose_address(address), complete)
            with mock.patch.dict(os.environ, {"SLIPSTREAM_ADDRESS": address}):
                self.assertEqual(choose_address(None), complete)

    def test_the_forms_of_grpc_are_taken(self):
        for address in ("127.0.0.1:7411", "localhost:1", "[::1]:7411", "[fe80::1%eth0]:65535",
                        "my_host.example:7411", "unix:/run/slipstream.sock",
                        "dns:///host.example:7411"):
            self.assertEqual(choose_address(address), address)


if __name__ == "__main__":
    unittest.main()
