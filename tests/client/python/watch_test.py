"""Programs see what happens to a study, also across a restart of the server."""

import asyncio
import itertools
import threading

from servers import ServerTest

import slipstream
from slipstream import aio, real

SPACE = {"x": real(0, 1)}


class Watch(ServerTest):
    def open(self):
        return slipstream.create_or_load(self.study_id, SPACE, minimize="loss")

    def evaluate(self, study, value):
        with study.suggest() as trial:
            trial.report(1, value + 1)
            trial.complete(value)

    def test_each_event_comes_in_its_order(self):
        study = self.open()
        events = study.watch()
        self.evaluate(study, 0.5)
        self.evaluate(study, 0.7)
        study.pause()
        found = [(event.kind, event.number, event.value)
                 for event in itertools.islice(events, 8)]
        self.assertEqual(found, [
            ("trial_leased", 1, None), ("trial_reported", 1, 1.5), ("trial_ended", 1, 0.5),
            ("incumbent_improved", 1, 0.5), ("trial_leased", 2, None),
            ("trial_reported", 2, 1.7), ("trial_ended", 2, 0.7), ("study_changed", None, None)])
        events.close()

    def test_events_tell_when_and_of_which_worker(self):
        study = slipstream.create_or_load(self.study_id, SPACE, minimize="loss", worker="gpu-3")
        events = study.watch()
        with study.suggest() as trial:
            trial.complete(1)
        event = next(events)
        self.assertEqual((event.kind, event.worker), ("trial_leased", "gpu-3"))
        self.assertEqual(event.time, study.trials[0].started)
        events.close()

    def test_it_goes_on_where_it_was(self):
        study = self.open()
        events = study.watch()
        self.evaluate(study, 0.5)
        kinds = [next(events) for _ in range(4)]
        events.close()
        self.evaluate(study, 0.2)
        again = study.watch(kinds[-1].resume_token)
        self.assertEqual(next(again).number, 2)
        again.close()

    def test_it_goes_on_after_any_event_of_a_message(self):
        study = self.open()
        events = study.watch()
        self.evaluate(study, 0.5)
        tokens = [next(events).resume_token for _ in range(4)]
        events.close()
        whole = study.watch(tokens[0])  # What has happened by now comes in one message.
        seen = [next(whole) for _ in range(3)]
        whole.close()
        for rest in range(1, 3):
            again = study.watch(seen[rest - 1].resume_token)
            self.assertEqual([next(again).kind for _ in seen[rest:]],
                             [event.kind for event in seen[rest:]])
            again.close()

    def test_a_resume_token_is_a_string_that_is_not_empty(self):
        study = self.open()
        with self.assertRaisesRegex(TypeError, "resume_token=3 must be the string that an event"):
            study.watch(3)
        with self.assertRaisesRegex(ValueError, "resume_token is empty: leave it out, or give None"):
            study.watch("")
        study.watch(None).close()

    def test_it_outlasts_a_restart_of_the_server(self):
        study = self.open()
        events = study.watch()
        self.server.kill()
        self.server.start()
        self.evaluate(study, 0.5)
        found = [event.kind for event in itertools.islice(events, 4)]
        self.assertEqual(found[-1], "incumbent_improved")
        events.close()

    def test_it_outlasts_the_deadline_of_a_call(self):
        short = slipstream.Options(call=slipstream.Deadlines(attempt=0.3, overall=10))
        self.open()
        study = slipstream.load(self.study_id, options=short)
        events = study.watch()
        timer = threading.Timer(1, self.evaluate, [self.open(), 0.5])
        timer.start()
        self.assertEqual([event.kind for event in itertools.islice(events, 4)][-1],
                         "incumbent_improved")
        timer.join()
        events.close()

    def test_it_ends_when_the_study_is_deleted(self):
        study = self.open()
        events = study.watch()
        timer = threading.Timer(0.2, slipstream.delete_study, [self.study_id])
        timer.start()
        self.assertEqual([event.kind for event in events], ["study_deleted"])
        timer.join()
        with self.assertRaises(slipstream.NotFound):
            study.watch()
        self.open()  # Another study of the name.
        with self.assertRaisesRegex(slipstream.NotFound, "is not the study that"):
            study.watch()

    def test_what_is_resumed_over_a_deletion_ends_with_it(self):
        study = self.open()
        events = study.watch()
        self.evaluate(study, 0.5)
        last = [next(events) for _ in range(4)][-1]
        events.close()
        self.evaluate(study, 0.7)
        slipstream.delete_study(self.study_id)
        for _ in range(2):
            self.assertEqual([event.kind for event in study.watch(last.resume_token)],
                             ["trial_leased", "trial_reported", "trial_ended", "study_deleted"])
            self.evaluate(self.open(), 0.25)  # Another study of the name.

    def test_asyncio_watches_too(self):
        self.open()

        async def watch():
            async with await aio.load(self.study_id) as study:
                events = await study.watch()
                async with await study.suggest() as trial:
                    await trial.complete(0.25)
                kinds = []
                async for event in events:
                    kinds.append(event.kind)
                    if event.kind == "incumbent_improved":
                        await events.aclose()
                        return kinds, event.value

        self.assertEqual(asyncio.run(watch()), (
            ["trial_leased", "trial_ended", "incumbent_improved"], 0.25))
