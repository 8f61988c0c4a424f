"""The asyncio client does what the blocking one does, without blocking."""

import asyncio
import contextlib
import inspect
import os
import tempfile
import unittest
import unittest.mock
import warnings

from servers import LossyProxy, ServerTest
from waiting import wait_until_async

import slipstream
import slipstream.aio
from slipstream import boolean, real
from slipstream._wire import messages

SPACE = {"x": real(0, 1)}


class Asyncio(ServerTest):
    def run_async(self, body, **settings):
        async def main():
            settings.setdefault("minimize", "loss")
            async with await slipstream.aio.create_or_load(
                    self.study_id, SPACE, **settings) as study:
                return await body(study)

        return asyncio.run(asyncio.wait_for(main(), 60))

    def test_a_study_that_was_closed_says_so(self):
        async def work():
            async with await slipstream.aio.create_or_load(
                    self.study_id, {"x": slipstream.real(0, 1)}, minimize="loss") as study:
                pass
            with self.assertRaisesRegex(RuntimeError, "the study was closed, .*open it again"):
                await study.suggest()

        asyncio.run(work())

    def test_each_outcome_is_recorded(self):
        async def body(study):
            async with await study.suggest() as trial:
                with self.assertRaisesRegex(TypeError, "got step 1.2, and steps are whole"):
                    await trial.report(1.2, 0.75)
                await trial.report(1, 0.75)
                self.assertFalse(await trial.should_stop())
                await trial.complete(trial.x)
            first, second, third, fourth = await study.suggest(4)
            await first.fail("broke")
            await second.infeasible("too large")
            await third.stop("hopeless", 3)
            await fourth.release()
            await study.record({"x": 0.5}, 0.25)
            queued = await study.enqueue({"x": 0.25}, labels={"from": "ann"}, note="by hand")
            self.assertEqual((queued.labels, queued.note), ({"from": "ann"}, "by hand"))
            told = await study.record({"x": 0.5}, infeasible="too large", note="by hand")
            self.assertEqual((told.reason, told.note), ("too large", "by hand"))
            for trial in (1, await study.trial(1)):
                self.assertEqual(await study.reports(trial), {1: 0.75})
            await study.pause()
            with self.assertRaises(slipstream.FailedPrecondition):
                await study.suggest()
            await study.resume()
            await study.complete()
            self.assertEqual((await study.description()).state, "completed")
            self.assertEqual((await study.best()).state, "succeeded")
            self.assertEqual((await study.description()).trial_count, 8)
            return [trial.state for trial in await study.trials()]

        self.assertEqual(self.run_async(body), ["succeeded", "failed", "infeasible", "stopped",
                                                "requested", "succeeded", "requested",
                                                "infeasible"])

    def test_a_training_goes_on_without_advice(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        retry = slipstream.Retry(0.001, 0.01, max_attempts=2)

        async def body(study):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                async with await study.suggest() as trial:
                    proxy.losses = {"Report": ["call"] * 2, "ShouldStop": ["call"] * 2}
                    await trial.report(1, 0.75)
                    self.assertFalse(await trial.should_stop())
                    await trial.report(2, 0.5)
                    await trial.complete(0.5)
            self.assertEqual([one.filename for one in told], [__file__])
            return await study.reports((await study.trials())[0])

        reports = self.run_async(
            body, address=proxy.address, options=slipstream.Options(retry=retry))
        self.assertEqual(reports, {1: 0.75, 2: 0.5})

    def test_trials_are_evaluated_at_the_same_time(self):
        async def body(study):
            arrived, everybody = [], asyncio.Event()

            async def objective(trial):
                arrived.append(trial.number)
                if len(arrived) == 4:
                    everybody.set()
                await everybody.wait()
                return trial.x

            best = await study.optimize(objective, 12, workers=4, progress=False)
            trials = await study.trials()
            self.assertEqual(sorted(arrived), list(range(1, 13)))
            self.assertEqual(best.value, min(trial.value for trial in trials))

        self.run_async(body)

    def test_an_exception_fails_its_trial_and_gives_the_others_back(self):
        async def body(study):
            async def objective(trial):
                if trial.number == 3:
                    raise RuntimeError("broke")
                await asyncio.Event().wait()

            with self.assertRaisesRegex(RuntimeError, "broke"):
                await study.optimize(objective, 12, workers=3, progress=False)
            return [(trial.state, trial.reason) for trial in await study.trials()]

        self.assertEqual(self.run_async(body), [("requested", ""), ("requested", ""),
                                                ("failed", "RuntimeError: broke")])

    def test_a_value_that_is_not_finite_makes_its_trial_infeasible(self):
        async def body(study):
            async def objective(trial):
                return float("inf") if trial.number == 2 else trial.x

            with self.assertWarnsRegex(UserWarning, "the objective is inf in .*infeasible") as told:
                await study.optimize(objective, 3, progress=False)
            self.assertEqual(told.filename, __file__)
            return [(trial.state, trial.reason) for trial in await study.trials()]

        self.assertEqual(self.run_async(body), [
            ("succeeded", ""), ("infeasible", "the objective is inf"), ("succeeded", "")])

    def test_what_happens_to_a_trial_is_told_and_does_not_end_the_loop(self):
        async def body(study):
            async def objective(trial):
                if trial.number == 1:
                    await study.tell(1, failed="by hand")
                if trial.number == 2:
                    raise OSError("disk")
                return trial.x

            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                best = await study.optimize(objective, 3, catch=OSError, progress=False)
            self.assertEqual([one.filename for one in told], [__file__] * 2)
            self.assertRegex(str(told[0].message), 'failed: "by hand".* The optimisation goes on')
            self.assertRegex(str(told[1].message), "goes on: OSError: disk")
            self.assertEqual(best, await study.trial(3))

        self.run_async(body)

    def test_an_outcome_is_sent_although_another_task_has_failed(self):
        async def body(study):
            sending = asyncio.Event()
            finish = slipstream.aio.Trial.finish

            async def has_failed():
                return (await study.trial(1)).state == "failed"

            async def finish_slowly(trial, value):
                sending.set()
                await wait_until_async(has_failed, "the other trial had failed")
                await finish(trial, value)

            async def objective(trial):
                if trial.number == 2:
                    return trial.x
                await sending.wait()
                raise RuntimeError("broke")

            with unittest.mock.patch.object(slipstream.aio.Trial, "finish", finish_slowly):
                with self.assertRaisesRegex(RuntimeError, "broke"):
                    await study.optimize(objective, 2, workers=2, progress=False)
            return [trial.state for trial in await study.trials()]

        self.assertEqual(self.run_async(body), ["failed", "succeeded"])

    def test_an_objective_is_asynchronous(self):
        async def body(study):
            with self.assertRaisesRegex(TypeError, "cannot be awaited: make it an async function"):
                await study.optimize(lambda trial: trial.x, 5, catch=Exception, progress=False)
            self.assertEqual([trial.state for trial in await study.trials()], ["requested"])
            with self.assertRaisesRegex(TypeError, "must be a function of a trial"):
                await study.optimize(3, 1, progress=False)

        self.run_async(body)

    def test_impossible_counts_are_refused(self):
        async def body(study):
            async def objective(trial):
                return trial.x

            for arguments, words in (({"trials": 2.5}, "trials=2.5 must be a whole number"),
                                     ({"trials": 1, "workers": True}, "workers=True must be")):
                with self.assertRaisesRegex(TypeError, words):
                    await study.optimize(objective, **arguments, progress=False)
            with self.assertRaisesRegex(ValueError, "count=0 must be from 1 to 1000"):
                await study.suggest(0)

        self.run_async(body)

    def test_a_cancelled_task_gives_its_trial_back(self):
        async def body(study):
            held = asyncio.Event()

            async def work():
                async with await study.suggest():
                    held.set()
                    await asyncio.Event().wait()

            task = asyncio.ensure_future(work())
            await held.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            return [trial.state for trial in await study.trials()]

        self.assertEqual(self.run_async(body), ["requested"])

    def test_an_outcome_on_the_way_when_its_task_is_cancelled_is_sent_again(self):
        async def body(study):
            lost = []

            async def attempt(step, attempt=study._transport._attempt):
                if step.method == "Observe" and not lost:
                    lost.append(step)
                    raise asyncio.CancelledError
                return await attempt(step)

            async def train(trial):
                return 0.25

            with unittest.mock.patch.object(study._transport, "_attempt", attempt):
                with self.assertRaises(asyncio.CancelledError):
                    await study.optimize(train, trials=1, progress=False)
            return (await study.best()).value

        self.assertEqual(self.run_async(body), 0.25)

    def test_an_outcome_that_was_cut_off_is_sent_whatever_becomes_of_the_interruption(self):
        async def body(study):
            def interrupted():
                lost = []

                async def attempt(step, attempt=study._transport._attempt):
                    if step.method == "Observe" and not lost:
                        lost.append(step)
                        raise asyncio.CancelledError
                    return await attempt(step)

                return unittest.mock.patch.object(study._transport, "_attempt", attempt)

            with self.assertRaises(TimeoutError):  # As by asyncio.wait_for.
                async with await study.suggest() as trial:
                    with interrupted():
                        try:
                            await trial.complete(0.25)
                        except asyncio.CancelledError as error:
                            raise TimeoutError from error
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                async with await study.suggest() as trial:
                    with interrupted(), contextlib.suppress(asyncio.CancelledError):
                        await trial.complete(0.5)
            self.assertEqual([str(one.message) for one in caught], [])
            return [(one.state, one.value) for one in await study.trials()]

        self.assertEqual(self.run_async(body), [("succeeded", 0.25), ("succeeded", 0.5)])

    def test_a_block_keeps_its_lease_and_renewals_end_with_it(self):
        async def body(study):
            async with await study.suggest() as trial:
                first = (await study.trials())[0].lease_ends
                tasks = [task.get_name() for task in asyncio.all_tasks()]
                self.assertIn(f"renews {trial.name}", tasks)

                async def is_renewed():
                    return ((await study.trials())[0].lease_ends - first).total_seconds() >= 6

                await wait_until_async(is_renewed, "the lease was renewed")
                renewals = [task for task in asyncio.all_tasks()
                            if task.get_name().startswith("renews")]
                await trial.complete(0.5)
                await asyncio.wait(renewals)
            return [trial.state for trial in await study.trials()]

        self.assertEqual(self.run_async(body, lease=9), ["succeeded"])

    def test_lost_answers_are_asked_for_again_under_the_same_id(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        proxy.losses = {"CreateStudy": ["answer"], "Suggest": ["answer", "call"],
                        "Observe": ["answer"], "RegisterSourceTask": ["answer"]}

        async def body(study):
            trial = await study.suggest()
            await trial.complete(0.5)
            self.assertEqual(len(study.sources), 1)
            return [trial.state for trial in await study.trials()]

        states = self.run_async(body, address=proxy.address, sources=[[{"x": 0.5, "loss": 1}]])
        self.assertEqual(states, ["succeeded"])
        for method, attempts in (("CreateStudy", 2), ("Suggest", 3), ("Observe", 2)):
            kind = type(messages.new(f"{method}Request"))
            ids = [kind.FromString(call).request_id for call in proxy.calls[method]]
            self.assertEqual((method, len(ids), len(set(ids))), (method, attempts, 1))

    def test_a_study_of_another_loop_is_told(self):
        async def opened():
            return await slipstream.aio.create_or_load(self.study_id, SPACE, minimize="loss")

        async def used():
            with self.assertRaisesRegex(RuntimeError, "opened in another event loop.*aio.load"):
                await study.suggest()

        loop = asyncio.new_event_loop()
        self.addCleanup(loop.close)
        study = loop.run_until_complete(opened())
        asyncio.run(used())
        loop.run_until_complete(study.close())

    def test_it_has_all_words_of_the_blocking_client(self):
        for ours, theirs in ((slipstream.aio, slipstream), (slipstream.aio.Study, slipstream.Study),
                             (slipstream.aio.Trial, slipstream.Trial)):
            words = {name for name in dir(theirs) if not name.startswith("_")}
            if ours is slipstream.aio:
                words = {name for name in slipstream.functions.__dict__ if name in words
                         and inspect.isfunction(getattr(slipstream, name))}
            self.assertLessEqual(words - {"plot"}, set(dir(ours)), ours)

    def test_they_take_the_same_arguments(self):
        for name in ("create_or_load", "load", "delete_study", "import_study", "register_source",
                     "sources", "delete_source"):
            ours, theirs = (inspect.signature(getattr(module, name)).parameters.values()
                            for module in (slipstream.aio, slipstream))
            self.assertEqual([str(one) for one in ours], [str(one) for one in theirs], name)
        ours, theirs = (inspect.signature(study.optimize).parameters
                        for study in (slipstream.aio.Study, slipstream.Study))
        self.assertEqual(list(ours), list(theirs))

    def test_source_tasks_are_registered_and_told_of(self):
        async def body(study):
            rows = [{"x": x / 10, "loss": x} for x in range(1, 8)]
            task = await slipstream.aio.register_source(rows, like=study, title="last year")
            self.assertIn(task.name, [one.name for one in await slipstream.aio.sources()])
            async with await slipstream.aio.create_or_load(
                    f"{self.study_id}-2", SPACE, minimize="loss", sources=[task],
                    preset="scaml") as learner:
                self.assertEqual(await learner.source_titles(), {task.name: "last year"})
                async with await learner.suggest() as trial:
                    await trial.complete(0.5)
                weights = await learner.source_weights(await learner.best())
                self.assertEqual(await learner.source_weights((await learner.best()).number), weights)
                self.assertLessEqual(set(weights), {task.name})
                explanation = await learner.explain(1)
                self.assertEqual(explanation.sources, weights)
                self.assertEqual(explanation.titles, dict.fromkeys(weights, "last year"))
            await slipstream.aio.delete_study(learner.id)
            await slipstream.aio.delete_source(task)
            self.assertNotIn(task.name, [one.name for one in await slipstream.aio.sources()])

        self.run_async(body)

    def test_none_is_an_inactive_parameter(self):
        async def body(study):
            space = {"on": boolean(), "y": real(0, 1, when={"on": True})}
            async with await slipstream.aio.create_or_load(
                    f"{self.study_id}-2", space, minimize="loss") as other:
                await other.record({"on": False, "y": None}, 0.5)
                await other.enqueue({"on": False, "y": None})
                return [dict(trial) for trial in await other.trials()]

        self.assertEqual(self.run_async(body), [{"on": False}] * 2)

    def test_a_study_that_exists_needs_no_space(self):
        async def body(study):
            async with await slipstream.aio.create_or_load(self.study_id) as again:
                self.assertEqual((again.id, again.space), (study.id, study.space))
            with self.assertRaisesRegex(ValueError, "no study.*give a space"):
                await slipstream.aio.create_or_load(f"{self.study_id}-2")

        self.run_async(body)

    def test_a_table_need_not_fit_the_space(self):
        async def main():
            rows = [{"x": 0.5, "loss": 1}, {"x": 2, "loss": 0}]
            space = {**SPACE, "y": real(0, 1, default=0.5)}
            with self.assertWarnsRegex(UserWarning, "1 of 2 rows .* x=2 is not within") as warned:
                async with await slipstream.aio.create_or_load(
                        self.study_id, space, minimize="loss", sources=[rows]) as study:
                    found = {one.name: one for one in await slipstream.aio.sources()}
                    self.assertEqual(dict(found[study.sources[0]].space), SPACE)
            self.assertEqual(warned.filename, __file__)

        asyncio.run(main())

    def test_a_study_is_exported_and_imported(self):
        async def body(study):
            async with await study.suggest() as trial:
                await trial.complete(0.25)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "study.jsonl")
                await study.export(path)
                async with await slipstream.aio.import_study(path, f"{self.study_id}-copy") as copy:
                    self.assertEqual([one.value for one in await copy.trials()], [0.25])

        self.run_async(body)

    def test_errors_are_those_of_the_blocking_client(self):
        async def differs(study):
            with self.assertRaises(slipstream.StudyDiffers):
                await slipstream.aio.create_or_load(
                    self.study_id, {"x": real(0, 2)}, minimize="loss")
            with self.assertRaises(slipstream.NotFound):
                await slipstream.aio.load("nobody")
            with self.assertRaisesRegex(TypeError, r"create_or_load\(\).*'minimise'"):
                await slipstream.aio.create_or_load("other", SPACE, minimise="loss")
            self.assertEqual((await slipstream.aio.load(self.study_id)).id, study.id)

        self.run_async(differs)


if __name__ == "__main__":
    unittest.main()
