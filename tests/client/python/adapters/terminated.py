"""Programs of adapters that a signal ends while they hold trials."""

import signal

from servers import ServerTest
from termination_test import TerminationTest

import slipstream


class TerminatedTest(TerminationTest):
    def setUp(self):
        ServerTest.setUp(self)  # Adapters make their studies themselves.

    def check_gives_back(self, script, at_work, number=signal.SIGTERM, study_id=None):
        """Whether a program that has said so often that it is at work gives back all that it holds."""
        process = self.start(script, at_work)
        self.study = slipstream.load(study_id() if study_id else self.study_id)
        before = self.states()
        self.assertIn("active", before)
        process.send_signal(number)
        self.check_end(process, number)
        self.assertEqual(self.states(), [
            "requested" if state == "active" else state for state in before])
