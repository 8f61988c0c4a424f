"""Labels and notes, which people and programs write on trials."""

import asyncio
import contextlib
import math
import pathlib
import tempfile
import threading
import unittest

import numpy
from servers import LossyProxy, ServerTest
from waiting import wait_until, wait_until_async

import slipstream
import slipstream.aio
from slipstream import Options, Retry, real
from slipstream._wire import messages

SPACE = {"x": real(0, 1)}
QUICK = Options(retry=Retry(initial_backoff=0.001, max_backoff=0.01))


class AnnotationTest(ServerTest):
    def open(self, **settings):
        return slipstream.create_or_load(self.study_id, SPACE, minimize="loss", **settings)

    def written(self, number=1):
        """What is written on a trial, as somebody else reads it."""
        trial = slipstream.load(self.study_id).trials[number - 1]
        return trial.labels, trial.note


class Trials(AnnotationTest):
    def test_labels_are_added_to_those_that_there_are(self):
        trial = self.open().suggest()
        self.assertEqual((trial.labels, trial.note), ({}, ""))
        trial.annotate(labels={"gpu": "a100", "fold": numpy.int64(3)}, note="looks odd")
        self.assertEqual(self.written(), ({"gpu": "a100", "fold": "3"}, "looks odd"))
        trial.annotate(labels={"gpu": "h100", "fold": None, "never there": None})
        self.assertEqual(self.written(), ({"gpu": "h100"}, "looks odd"))
        trial.annotate(note="it was the disk")
        self.assertEqual(self.written(), ({"gpu": "h100"}, "it was the disk"))
        self.assertEqual((trial.labels, trial.note), self.written())
        trial.annotate(note="")
        self.assertEqual(self.written(), ({"gpu": "h100"}, ""))

    def test_labels_are_told_by_key(self):
        trial = self.open().suggest()
        trial.annotate(labels=dict.fromkeys("jihgfedcba", 1))
        for labels in (trial.labels, self.written()[0]):
            self.assertEqual("".join(labels), "abcdefghij")

    def test_they_are_written_on_what_is_queued_and_recorded(self):
        study = self.open()
        queued = study.enqueue({"x": 0.25}, labels={"from": "ann", "fold": 3}, note="by hand")
        self.assertEqual((queued.labels, queued.note), ({"from": "ann", "fold": "3"}, "by hand"))
        self.assertEqual(self.written(), (queued.labels, queued.note))
        self.assertEqual(study.suggest().note, "by hand")
        study.record({"x": 0.5}, failed="no memory", labels={"from": "ann"})
        self.assertEqual(self.written(2), ({"from": "ann"}, ""))
        there = study.enqueue({"x": 0.25}, unless_there=True, note="again")
        self.assertEqual((there.number, there.note), (1, "by hand"))
        for wrong in ({"labels": "ann"}, {"labels": {"fold": [3]}}, {"note": 3}):
            with self.assertRaises(TypeError):
                study.enqueue({"x": 0.75}, **wrong)
            with self.assertRaises(TypeError):
                study.record({"x": 0.75}, 1, **wrong)
        for wrong in ({"note": "\u00e9" * 513}, {"labels": dict.fromkeys(map(str, range(65)), 1)},
                      {"labels": {"": 1}}, {"labels": {"k" * 64: 1}}, {"labels": {"k": "v" * 257}},
                      {"labels": {"k\n": 1}}, {"labels": {"\x85": 1}}):
            with self.assertRaises(slipstream.InvalidArgument):
                study.annotate(1, **wrong)
            with self.assertRaises(slipstream.InvalidArgument):
                study.record({"x": 0.75}, 1, **wrong)
        self.assertEqual(len(study.trials), 2)
        longest = {"note": "\u00e9" * 512, "labels": {"k" * 63: "v" * 256}}
        self.assertEqual(study.record({"x": 0.75}, 1, **longest).note, longest["note"])

    def test_they_are_written_before_and_after_the_outcome(self):
        with self.open().suggest() as trial:
            trial.annotate(labels={"phase": "training"})
            trial.complete(0.5)
            trial.annotate(labels={"phase": "done"})
        trial.annotate(note="archived")
        self.assertEqual(self.written(), ({"phase": "done"}, "archived"))

    def test_what_others_have_written_stays(self):
        study = self.open()
        trial = study.suggest()
        slipstream.load(self.study_id).annotate(1, labels={"seen": "ann"}, note="by ann")
        trial.annotate(labels={"gpu": "a100"})
        self.assertEqual(self.written(), ({"seen": "ann", "gpu": "a100"}, "by ann"))
        self.assertEqual((trial.labels, trial.note), self.written())

    def test_a_trial_that_is_suggested_again_tells_them(self):
        self.open(worker="w").suggest().annotate(labels={"gpu": "a100"}, note="warm")
        again = slipstream.load(self.study_id, worker="w").suggest()
        self.assertEqual((again.number, again.labels, again.note), (1, {"gpu": "a100"}, "warm"))

    def test_a_configuration_that_is_queued_again_keeps_what_is_written(self):
        study = self.open(lease=1)
        study.suggest().annotate(labels={"checkpoint": "epoch-3"}, note="the disk was full")
        wait_until(lambda: study.trials[0].state == "stale", "the lease ran out")
        again = study.suggest()
        self.assertEqual((again.number, again.labels, again.note),
                         (2, {"checkpoint": "epoch-3"}, "the disk was full"))

    def test_threads_do_not_undo_what_others_write(self):
        study = self.open()
        trial = study.suggest()
        together = threading.Barrier(8, timeout=30)

        def write(index):
            together.wait()
            for step in range(5):
                labels = {f"{index}-{step}": "there"}
                if index % 2:
                    trial.annotate(labels=labels)
                else:
                    study.annotate(1, labels=labels)

        threads = [threading.Thread(target=write, args=(index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(self.written()[0]),
                         {f"{index}-{step}" for index in range(8) for step in range(5)})

    def test_a_trial_is_not_taken_for_another_one_of_its_name(self):
        gone = self.open().suggest()
        record = slipstream.load(self.study_id).trials[0]
        slipstream.delete_study(self.study_id)
        study = self.open()
        study.suggest()
        for write in (lambda: gone.annotate(note="odd"), lambda: study.annotate(record, note="odd"),
                      lambda: gone.annotate(labels={"gpu": "a100"}), lambda: gone.labels):
            with self.assertRaisesRegex(slipstream.NotFound, "/1 is not the trial.*is gone"):
                write()
        self.assertTrue(gone.lost)
        self.assertEqual(self.written(), ({}, ""))

    def test_mistakes_are_told_with_their_remedy(self):
        study = self.open()
        trial = study.suggest()
        for arguments, kind, words in (
            ({}, TypeError, "annotate.. got nothing to write: give labels=, note= or both"),
            ({"note": 3}, TypeError, "note=3 must be a string"),
            ({"labels": {"a": [1]}}, TypeError, "labels={'a': .1.}: the keys of labels must be"),
            ({"labels": {1: "a"}}, TypeError, "labels={1: 'a'}: the keys of"),
            ({"labels": {1: None}}, TypeError, "the keys of"),
            ({"note": "x" * 1025}, slipstream.InvalidArgument, "trial.note"),
            ({"labels": {"": "a"}}, slipstream.InvalidArgument, "trial.labels"),
        ):
            for write in (trial.annotate, lambda **given: study.annotate(1, **given)):
                with self.assertRaisesRegex(kind, words):
                    write(**arguments)
        self.assertEqual(self.written(), ({}, ""))


class Studies(AnnotationTest):
    def test_a_trial_is_named_by_its_number_or_its_record(self):
        study = self.open()
        study.record({"x": 0.5}, 0.25)
        told = study.annotate(1, labels={"gpu": "a100"}, note="from last year")
        self.assertEqual((told.number, told.state, told.value, told.params),
                         (1, "succeeded", 0.25, {"x": 0.5}))
        self.assertEqual((told.labels, told.note), ({"gpu": "a100"}, "from last year"))
        self.assertEqual(study.annotate(study.best, labels={"checked": True}),
                         study.trials[0])
        self.assertEqual(study.annotate(numpy.int64(1), labels={}), study.best)
        self.assertEqual(self.written(), ({"gpu": "a100", "checked": "True"}, "from last year"))

    def test_a_study_of_a_project_is_annotated_too(self):
        study = self.open(project="vision")
        study.suggest().annotate(labels={"gpu": "a100"})
        study.annotate(1, note="odd")
        self.assertEqual((study.trials[0].labels, study.trials[0].note), ({"gpu": "a100"}, "odd"))

    def test_what_is_no_trial_of_the_study_is_refused(self):
        study = self.open()
        other = slipstream.create_or_load(f"{self.study_id}-2", SPACE, minimize="loss")
        foreign = other.record({"x": 0.5}, 1)
        for trial, kind, words in (
            (0, ValueError, f"trial=0 must be from 1 to {2**63 - 1}"),
            ("1", TypeError, "trial='1' must be a whole number"),
            (foreign, ValueError, f"{foreign.name} is not a trial of studies/{self.study_id}"),
            (7, slipstream.NotFound, f"there is no studies/{self.study_id}/trials/7"),
        ):
            with self.assertRaisesRegex(kind, words):
                study.annotate(trial, note="odd")


class Calls(AnnotationTest):
    def setUp(self):
        super().setUp()
        self.proxy = LossyProxy(self.server.address)
        self.addCleanup(self.proxy.close)
        self.study = self.open(address=self.proxy.address, options=QUICK)

    def changes(self):
        """The requests to change a trial, so far."""
        kind = type(messages.new("UpdateTrialRequest"))
        return [kind.FromString(call) for call in self.proxy.calls.get("UpdateTrial", [])]

    def test_only_what_changes_is_sent(self):
        trial = self.study.suggest()
        trial.annotate(labels={"gpu": "a100"})
        trial.annotate(note="odd")
        trial.annotate(labels={"gpu": None}, note="")
        trial.annotate(labels={"gpu": None}, note="")
        trial.annotate(labels={})
        self.assertEqual([sorted(one.update_mask.paths) for one in self.changes()],
                         [["labels"], ["note"], ["labels", "note"]])

    def test_a_change_is_made_once(self):
        trial = self.study.suggest()
        self.proxy.losses = {"GetTrial": ["call", "answer"], "UpdateTrial": ["answer", "call"]}
        trial.annotate(labels={"gpu": "a100"}, note="odd")
        self.assertEqual(self.written(), ({"gpu": "a100"}, "odd"))
        self.assertEqual((len(self.changes()), len({one.request_id for one in self.changes()})),
                         (3, 1))

    def test_a_repeated_attempt_does_not_undo_what_came_between(self):
        trial = self.study.suggest()
        other = slipstream.load(self.study_id)
        forward, calls = self.proxy._forward, []

        def forward_and_let_another_one_write(path, request):
            response = forward(path, request)
            if path.endswith("/UpdateTrial"):
                calls.append(path)
                if len(calls) == 1:
                    other.annotate(1, labels={"gpu": None, "seen": "ann"})
            return response

        self.proxy._forward = forward_and_let_another_one_write
        self.proxy.losses = {"UpdateTrial": ["answer"]}
        trial.annotate(labels={"gpu": "a100"})
        self.assertEqual(len(calls), 2)
        self.assertEqual(self.written(), ({"seen": "ann"}, ""))


class Asyncio(AnnotationTest):
    def test_it_does_the_same(self):
        async def body():
            async with await slipstream.aio.create_or_load(
                    self.study_id, SPACE, minimize="loss") as study:
                async with await study.suggest() as trial:
                    await trial.annotate(labels={"gpu": "a100", "fold": 3}, note="odd")
                    self.assertEqual((await trial.labels(), await trial.note()),
                                     ({"gpu": "a100", "fold": "3"}, "odd"))
                    await trial.complete(0.5)
                told = await study.annotate(1, labels={"fold": None}, note="")
                self.assertEqual((told, told.labels, told.note),
                                 (await study.best(), {"gpu": "a100"}, ""))
                await asyncio.gather(*(
                    trial.annotate(labels={f"{index}": "there"}) if index % 2
                    else study.annotate(told, labels={f"{index}": "there"})
                    for index in range(20)))
                with self.assertRaisesRegex(TypeError, "nothing to write"):
                    await study.annotate(1)

        asyncio.run(asyncio.wait_for(body(), 60))
        self.assertEqual(set(self.written()[0]), {"gpu", *map(str, range(20))})

    def test_a_cancelled_task_lets_others_write(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)

        async def is_sent():
            return "UpdateTrial" in proxy.calls

        async def body():
            async with await slipstream.aio.create_or_load(
                    self.study_id, SPACE, minimize="loss", address=proxy.address) as study:
                trial = await study.suggest()
                proxy.losses = {"UpdateTrial": ["late"]}
                task = asyncio.ensure_future(trial.annotate(note="never heard"))
                await wait_until_async(is_sent, "the note was sent")
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
                await trial.annotate(note="heard")

        asyncio.run(asyncio.wait_for(body(), 60))
        self.assertEqual(self.written()[1], "heard")


class Tables(AnnotationTest):
    COLUMNS = ["number", "state", "x", "loss", "worker", "reason", "started", "ended"]

    def test_they_have_columns_for_labels_and_notes_where_there_are_any(self):
        study = self.open()
        study.record({"x": 0.5}, 0.25)
        study.record({"x": 0.25}, 0.5)
        self.assertEqual(list(study.trials.to_dicts()[0]), self.COLUMNS)
        study.annotate(1, labels={"gpu": "a100", "fold": 3})
        self.assertEqual(list(study.trials.to_dicts()[1]),
                         [*self.COLUMNS, "label:fold", "label:gpu"])
        study.annotate(2, labels={"gpu": "h100"}, note="odd")
        cells = [list(row.values())[len(self.COLUMNS):] for row in study.trials.to_dicts()]
        self.assertEqual(cells, [["", "3", "a100"], ["odd", None, "h100"]])
        frame = study.trials.to_frame()
        self.assertEqual(list(frame.columns),
                         [*self.COLUMNS[1:], "note", "label:fold", "label:gpu"])
        self.assertEqual(frame[frame["label:gpu"] == "h100"].index.tolist(), [2])
        self.assertIn("<th>label:gpu</th>", study.trials._repr_html_())

    def test_parameters_of_the_same_names_keep_them(self):
        space = {"label:gpu": real(0, 1), "note": real(0, 1)}
        with self.assertWarnsRegex(UserWarning, "trial.note is the trial's own"):
            study = slipstream.create_or_load(self.study_id, space, minimize="label:fold")
        study.record({"label:gpu": 0.5, "note": 0.25}, 1)
        study.annotate(1, labels={"gpu": "a100", "fold": 3, "seed": 1}, note="odd")
        row = study.trials.to_dicts()[0]
        self.assertEqual({name: row[name] for name in row if "label:" in name or "note" in name},
                         {"label:gpu": 0.5, "note": 0.25, "label:fold": 1, "trial_note": "odd",
                          "trial_label:fold": "3", "trial_label:gpu": "a100", "label:seed": "1"})
        self.assertEqual(study.trials.to_frame().loc[1, "trial_label:gpu"], "a100")

    def test_an_annotated_table_is_a_source_like_one_without(self):
        for space in (SPACE, {"label:gpu": real(0, 1), "state": real(0, 1)}):
            with self.subTest(space), tempfile.TemporaryDirectory() as folder:
                earlier = slipstream.create_or_load(
                    f"{self.study_id}-{len(space)}", space, minimize="loss")
                earlier.record(dict.fromkeys(space, 0.5), 0.25)
                earlier.suggest().fail("broke")
                task = slipstream.register_source(earlier)
                earlier.annotate(1, labels={"gpu": "a100", "fold": 3}, note="odd")
                path = pathlib.Path(folder) / "trials.csv"
                earlier.trials.to_frame().to_csv(path)
                for table in (earlier.trials.to_frame(), earlier.trials.to_dicts(), path):
                    self.assertEqual(slipstream.register_source(table, like=earlier).name,
                                     task.name)
        other = {"x": real(0, 1), "y": real(0, 1)}
        row = {"x": 0.5, "y": 0.5, "loss": 1.0, "label:gpu": "a100"}
        with self.assertRaisesRegex(ValueError, "column 'label:gpu' is neither a parameter"):
            slipstream.register_source([row], other, minimize="loss")  # No table of trials.

    def test_a_label_is_no_parameter_that_the_study_lacks(self):
        space = {"label:gpu": real(0, 1), "x": real(0, 1)}
        earlier = slipstream.create_or_load(f"{self.study_id}-0", space, minimize="loss")
        earlier.record({"label:gpu": 0.5, "x": 0.5}, math.pi)
        earlier.annotate(1, labels={"gpu": "a100"})
        with self.assertRaisesRegex(ValueError, "column 'label:gpu' is neither a parameter"):
            self.open(sources=[earlier.trials.to_frame()])


if __name__ == "__main__":
    unittest.main()
