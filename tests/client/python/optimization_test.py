"""What ends an optimisation, and what it tells meanwhile, in both clients."""

import asyncio
import threading
import time
import unittest
import unittest.mock

from servers import PATIENCE, LossyProxy, ServerTest, begin_another_life
from waiting import wait_until, wait_until_async

import slipstream
import slipstream.aio
from slipstream import real

SPACE = {"x": real(0, 1)}


def states(study):
    return [trial.state for trial in study.trials]


class OptimizationTest(ServerTest):
    def open(self, **settings):
        return slipstream.create_or_load(self.study_id, SPACE, minimize="loss", **settings)

    def run_async(self, body, **settings):
        """Awaits what `body` does with the study."""
        async def main():
            async with await slipstream.aio.create_or_load(
                    self.study_id, SPACE, minimize="loss", **settings) as study:
                return await body(study)

        return asyncio.run(asyncio.wait_for(main(), PATIENCE))


class Start(OptimizationTest):
    def test_a_worker_that_cannot_start_ends_the_optimisation(self):
        start = threading.Thread.start
        for error in (RuntimeError("can't start new thread"), MemoryError("no room for a thread")):
            for is_late in (False, True):  # It may also fail once the thread runs.

                def start_first(thread):
                    if is_late or thread.name != "slipstream_1":
                        start(thread)
                    if thread.name == "slipstream_1":
                        raise error

                study = slipstream.create_or_load(
                    f"{self.study_id}-{type(error).__name__.lower()}-{int(is_late)}", SPACE,
                    minimize="loss")
                with self.subTest(error=error, is_late=is_late), unittest.mock.patch.object(
                        threading.Thread, "start", start_first):
                    with self.assertRaises(type(error)) as raised:
                        study.optimize(lambda trial: trial.x, workers=3, progress=False)
                    self.assertIs(raised.exception, error)
                wait_until(lambda: "active" not in states(study), "what was suggested was given back")


class Stop(OptimizationTest):
    def test_an_objective_ends_the_optimisation_and_its_own_trial_counts(self):
        study = self.open()

        def objective(trial):
            if trial.number == 3:
                study.stop()
            return trial.x

        best = study.optimize(objective, progress=False)
        self.assertEqual(states(study), ["succeeded"] * 3)
        self.assertEqual(best, study.best)

    def test_trials_of_other_workers_are_finished(self):
        study = self.open()
        together = threading.Barrier(3, action=study.stop)

        def objective(trial):
            together.wait(PATIENCE)
            return trial.x

        study.optimize(objective, workers=3, progress=False)
        self.assertEqual(states(study), ["succeeded"] * 3)

    def test_another_thread_ends_the_optimisation(self):
        study = self.open()
        begun = threading.Event()
        stopper = threading.Thread(target=lambda: begun.wait(PATIENCE) and study.stop())
        stopper.start()

        def objective(trial):
            begun.set()
            stopper.join(PATIENCE)
            return trial.x

        study.optimize(objective, progress=False)
        self.assertEqual(states(study), ["succeeded"])

    def test_without_an_optimisation_it_does_nothing(self):
        study = self.open()
        study.stop()
        for _ in range(2):
            study.optimize(lambda trial: study.stop() or trial.x, trials=2, progress=False)
        study.optimize(lambda trial: trial.x, trials=2, progress=False)
        self.assertEqual(states(study), ["succeeded"] * 4)

    def test_optimisations_on_other_objects_go_on(self):
        study, other = self.open(), self.open()
        study.optimize(lambda trial: other.stop() or trial.x, trials=2, progress=False)
        self.assertEqual(states(study), ["succeeded"] * 2)

    def test_a_trial_that_is_suggested_meanwhile_is_given_back(self):
        study = self.open()
        suggest = study._suggest

        def suggest_late(count, make):
            trials = yield from suggest(count, make)
            study.stop()
            return trials

        study._suggest = suggest_late
        for workers in (1, 3):
            best = study.optimize(lambda trial: self.fail("started"), workers=workers,
                                  progress=False)
            self.assertIsNone(best)
        self.assertEqual(set(states(study)), {"requested"})

    def test_to_pause_or_complete_the_study_ends_the_optimisation_too(self):
        for end, state in (("pause", "paused"), ("complete", "completed")):
            study = self.open()

            def objective(trial):
                getattr(study, end)()
                return trial.x

            with self.subTest(end):
                before = len(study.trials)
                best = study.optimize(objective, progress=False)
                self.assertEqual(len(study.trials), before + 1)
                self.assertEqual((best, study.description.state), (study.best, state))
            if state == "paused":
                study.resume()


    def test_a_suggestion_that_is_refused_for_it_is_no_error(self):
        study = self.open()
        suggest = study._suggest

        def suggest_late(count, make):
            study.complete()
            return (yield from suggest(count, make))

        study._suggest = suggest_late
        self.assertIsNone(study.optimize(lambda trial: self.fail("started"), progress=False))


    def refuse(self, **losses):
        """A study whose calls are refused for longer than any test takes."""
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(address=proxy.address)
        proxy.busy_seconds = 50
        proxy.losses.update(losses)
        return study, proxy

    def test_no_worker_waits_until_a_call_that_was_refused_may_be_repeated(self):
        for method, until in (("Suggest", None), ("GetStudy", 9), ("ListTrials", 9)):
            with self.subTest(method):
                self.setUp()
                study, proxy = self.refuse(**{method: [None, *["busy"] * 99]})

                def objective(trial):
                    wait_until(lambda: len(proxy.calls[method]) > 1, "a call was refused")
                    study.stop()
                    return trial.x

                start = time.monotonic()
                best = study.optimize(objective, 9, workers=2, until=until, progress=False)
                self.assertLess(time.monotonic() - start, 40)
                proxy.losses.clear()
                self.assertEqual((states(study), best), (["succeeded"], study.best))

    def test_an_error_ends_such_a_wait_too(self):
        study, proxy = self.refuse(Suggest=[None, *["busy"] * 99])

        def objective(trial):
            wait_until(lambda: len(proxy.calls["Suggest"]) > 1, "a call was refused")
            raise OSError("disk")

        start = time.monotonic()
        with self.assertRaisesRegex(OSError, "disk"):
            study.optimize(objective, workers=2, progress=False)
        self.assertLess(time.monotonic() - start, 40)

    def test_so_does_the_end_of_the_time(self):
        study, _ = self.refuse(Suggest=["busy"] * 99)
        for workers in (1, 2):
            self.assertIsNone(study.optimize(lambda trial: self.fail("started"), workers=workers,
                                             timeout=0.5, progress=False))

    def test_a_trial_that_is_suggested_when_time_is_up_is_given_back(self):
        study = self.open()
        suggest = study._suggest

        def suggest_late(count, make):
            trials = yield from suggest(count, make)
            wait_until(lambda: time.monotonic() >= begin + 0.5, "time was up")
            return trials

        study._suggest = suggest_late
        begin = time.monotonic()
        self.assertIsNone(study.optimize(lambda trial: self.fail("started"), timeout=0.5,
                                         progress=False))
        self.assertEqual(states(study), ["requested"])


class StopAsyncio(OptimizationTest):
    def test_no_task_waits_until_a_call_that_was_refused_may_be_repeated(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        proxy.busy_seconds = 200
        proxy.losses["Suggest"] = [None, *["busy"] * 99]

        async def refused():
            return len(proxy.calls["Suggest"]) > 1

        async def body(study):
            async def objective(trial):
                await wait_until_async(refused, "a call was refused")
                study.stop()
                return trial.x

            await study.optimize(objective, workers=2, progress=False)
            return [trial.state for trial in await study.trials()]

        self.assertEqual(self.run_async(body, address=proxy.address), ["succeeded"])

    def test_an_objective_ends_the_optimisation_and_other_trials_are_finished(self):
        async def body(study):
            everybody = asyncio.Event()
            begun = []

            async def objective(trial):
                begun.append(trial)
                if len(begun) == 3:
                    study.stop()
                    everybody.set()
                await everybody.wait()
                return trial.x

            best = await study.optimize(objective, workers=3, progress=False)
            self.assertEqual(best, await study.best())
            return [trial.state for trial in await study.trials()]

        self.assertEqual(self.run_async(body), ["succeeded"] * 3)

    def test_a_trial_that_is_suggested_meanwhile_is_given_back(self):
        async def body(study):
            suggest = study._suggest

            def suggest_late(count, make):
                trials = yield from suggest(count, make)
                study.stop()
                return trials

            async def objective(trial):
                self.fail("started")

            study._suggest = suggest_late
            for workers in (1, 3):
                self.assertIsNone(await study.optimize(objective, workers=workers, progress=False))
            return {trial.state for trial in await study.trials()}

        self.assertEqual(self.run_async(body), {"requested"})

    def test_a_trial_that_is_suggested_while_another_task_fails_is_given_back(self):
        async def body(study):
            suggest = study._next_trial

            async def suggest_late(quota):
                trial = await suggest(quota)

                async def is_over():
                    return quota.closed

                if trial.number == 2:
                    await wait_until_async(is_over, "the first task had failed")
                return trial

            async def objective(trial):
                raise RuntimeError("broke")

            study._next_trial = suggest_late
            with self.assertRaisesRegex(RuntimeError, "broke"):
                await study.optimize(objective, workers=2, progress=False)
            return [trial.state for trial in await study.trials()]

        self.assertEqual(self.run_async(body), ["failed", "requested"])

    def test_to_pause_or_complete_the_study_ends_the_optimisation_too(self):
        async def body(study):
            async def pause(trial):
                await study.pause()
                return trial.x

            async def complete(trial):
                await study.complete()
                return trial.x

            await study.optimize(pause, progress=False)
            await study.resume()
            await study.optimize(complete, workers=2, progress=False)
            return [trial.state for trial in await study.trials()]

        found = self.run_async(body)
        self.assertEqual(found[0], "succeeded")
        self.assertIn("succeeded", found[1:])
        self.assertNotIn("active", found)


class StudiesThatOthersEnd(OptimizationTest):
    def check(self, warned, state, count):
        self.assertEqual(
            [str(one.message) for one in warned.warnings],
            [f"the study was {state}, so the optimisation ends after {count}"])
        self.assertEqual(warned.filename, __file__)

    def test_the_optimisation_ends_with_a_warning(self):
        study = self.open()

        def complete(trial):
            if trial.number == 3:
                self.open().complete()
            return trial.x

        with self.assertWarns(UserWarning) as warned:
            best = study.optimize(complete, progress=False)
        self.check(warned, "completed", "3 trials")
        self.assertEqual((states(study), best), (["succeeded"] * 3, study.best))

    def test_a_pause_ends_it_too_and_workers_warn_once(self):
        study = self.open()
        together = threading.Barrier(2, action=lambda: self.open().pause())

        def pause(trial):
            together.wait(PATIENCE)
            return trial.x

        with self.assertWarns(UserWarning) as warned:
            study.optimize(pause, workers=2, progress=False)
        self.check(warned, "paused", "2 trials")
        self.assertEqual(states(study), ["succeeded"] * 2)

    def test_what_workers_warn_of_points_at_the_users_program(self):
        study = self.open()
        together = threading.Barrier(2, action=lambda: slipstream.delete_study(study.id))

        def delete(trial):
            together.wait(PATIENCE)
            raise OSError("disk")  # Which no trial can be told of any more.

        with self.assertWarns(UserWarning) as warned:
            with self.assertRaisesRegex(OSError, "disk"):
                study.optimize(delete, workers=2, progress=False)
        told = "\n".join(str(one.message) for one in warned.warnings)
        self.assertIn("cannot record the outcome", told)
        self.assertEqual({one.filename for one in warned.warnings}, {__file__})

    def test_a_study_that_gives_no_first_suggestion_is_an_error(self):
        study = self.open()
        for end in (study.pause, study.complete):
            end()
            with self.assertRaises(slipstream.FailedPrecondition):
                study.optimize(lambda trial: trial.x, progress=False)

    def test_another_cause_is_an_error(self):
        study = self.open()
        suggest = study._suggest

        def refuse(count, make):
            if study.description.trial_count == 2:
                raise slipstream.FailedPrecondition("no")
            return (yield from suggest(count, make))

        study._suggest = refuse
        with self.assertRaisesRegex(slipstream.FailedPrecondition, "^no$"):
            study.optimize(lambda trial: trial.x, progress=False)
        self.assertEqual(states(study), ["succeeded"] * 2)

    def test_tasks_end_in_the_same_way(self):
        async def body(study):
            async def complete(trial):
                self.open().complete()
                return trial.x

            with self.assertWarns(UserWarning) as warned:
                best = await study.optimize(complete, progress=False)
            self.check(warned, "completed", "1 trial")
            self.assertEqual(best, await study.best())
            with self.assertRaises(slipstream.FailedPrecondition):
                await study.optimize(complete, progress=False)

        self.run_async(body)


class Totals(OptimizationTest):
    def optimize(self, study, until, **arguments):
        """The numbers of the trials that are evaluated."""
        seen = []
        study.optimize(lambda trial: seen.append(trial.number) or trial.x, until=until,
                       progress=False, **arguments)
        return sorted(seen)

    def test_a_script_that_is_run_again_evaluates_nothing_and_returns_the_best(self):
        self.assertEqual(self.optimize(self.open(), 3), [1, 2, 3])
        study = self.open()
        best = study.optimize(lambda trial: self.fail("started"), until=3, progress=False)
        self.assertEqual((best, len(study.trials)), (study.best, 3))
        study.complete()
        self.assertEqual(self.optimize(study, 2), [])

    def test_workers_start_no_trial_too_many(self):
        self.assertEqual(self.optimize(self.open(), 7, workers=4), list(range(1, 8)))

    def test_trials_of_all_that_work_on_the_study_count(self):
        seen, studies = [], [self.open(), self.open()]
        threads = [threading.Thread(target=lambda study=study: seen.extend(
            self.optimize(study, 12, workers=2))) for study in studies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        # Either may start one when the other has just started the last.
        self.assertIn(len(seen), (12, 13))
        self.assertEqual(states(studies[0]), ["succeeded"] * len(seen))

    def test_outcomes_of_all_kinds_and_trials_that_others_hold_count(self):
        study = self.open()
        study.record({"x": 0.5}, 0.25)
        for end in ("fail", "infeasible", "stop"):
            getattr(study.suggest(), end)()
        held = self.open().suggest()
        self.assertEqual(self.optimize(study, 7), [6, 7])
        held.complete(0.5)
        self.assertEqual(self.optimize(study, 8, trials=5), [8])
        self.assertEqual(self.optimize(study, 99, trials=2), [9, 10])

    def test_queued_configurations_do_not_count_and_are_evaluated(self):
        study = self.open()
        for x in (0.25, 0.5):
            study.enqueue({"x": x})
        self.assertEqual(self.optimize(study, 3), [1, 2, 3])
        study.enqueue({"x": 0.75})
        self.assertEqual(self.optimize(study, 3), [])
        self.assertEqual(self.optimize(study, 4), [4])

    def test_a_worker_finishes_what_its_earlier_life_has_left(self):
        for workers in (1, 3):
            self.setUp()
            study = self.open()
            self.assertEqual(self.optimize(study, 2), [1, 2])
            killed = self.open(worker="gpu")
            killed.suggest()
            killed.suggest()
            other = self.open(worker="gpu-2").suggest()
            self.assertEqual(self.optimize(study, 5), [])
            begin_another_life()
            self.assertEqual(self.optimize(self.open(worker="gpu"), 5, workers=workers), [3, 4])
            other.complete(0.5)
            self.assertEqual(states(study), ["succeeded"] * 5)

    def test_a_trial_whose_lease_ran_out_does_not_count_until_it_has_its_result(self):
        study = self.open(lease=1)
        lost = self.open().suggest()
        wait_until(lambda: states(study)[0] == "stale", "the lease ran out")
        self.assertEqual(self.optimize(study, 1), [2])
        self.assertEqual(states(study), ["stale", "succeeded"])
        lost.complete(0.5)
        self.assertEqual(self.optimize(study, 2), [])

    def test_a_trial_that_was_withdrawn_does_not_count(self):
        study = self.open(lease=1)
        late = self.open().suggest()
        wait_until(lambda: states(study) == ["stale", "requested"], "the lease ran out")
        late.complete(0.5)
        self.assertEqual(states(study), ["succeeded", "withdrawn"])
        self.assertEqual(self.optimize(study, 2), [3])

    def test_it_is_a_whole_number_of_at_least_one(self):
        study = self.open()
        for until, kind in ((0, ValueError), (-3, ValueError), (2.5, TypeError), (True, TypeError),
                            ("3", TypeError)):
            with self.assertRaisesRegex(kind, f"until={until!r} must be .*at least 1"):
                self.optimize(study, until)
        self.assertEqual(self.optimize(study, 2.0), [1, 2])

    def test_tasks_keep_to_it_too(self):
        async def body(study):
            seen = []

            async def objective(trial):
                seen.append(trial.number)
                return trial.x

            await study.enqueue({"x": 0.5})
            for until in (7, 7, 8):
                best = await study.optimize(objective, until=until, workers=4, progress=False)
            self.assertEqual(sorted(seen), list(range(1, 9)))
            self.assertEqual(best, await study.best())
            with self.assertRaisesRegex(ValueError, "until=0 must be at least 1"):
                await study.optimize(objective, until=0)

        self.run_async(body)


class Callbacks(OptimizationTest):
    def test_they_hear_of_each_trial_that_got_an_outcome(self):
        study = self.open()
        heard, given_back = [], []

        def objective(trial):
            if trial.number == 2:
                raise OSError("disk")
            if trial.number == 3:
                raise slipstream.Infeasible("too large")
            if trial.number == 4:
                raise slipstream.TrialStopped("hopeless")
            if trial.number == 5:
                study.tell(5, failed="by hand")
            if trial.number == 6 and not given_back:
                given_back.append(trial.release())
            return trial.x

        with self.assertWarns(UserWarning):
            study.optimize(objective, trials=7, catch=OSError, progress=False,
                           callbacks=[lambda *told: heard.append(told)])
        self.assertEqual([record.state for _, record in heard],
                         ["succeeded", "failed", "infeasible", "stopped", "failed", "succeeded"])
        self.assertEqual([record for _, record in heard], list(study.trials))
        self.assertEqual({told for told, _ in heard}, {study})

    def test_a_failure_that_ends_the_optimisation_is_not_told(self):
        study = self.open()
        with self.assertRaises(ZeroDivisionError):
            study.optimize(lambda trial: 1 / 0, progress=False,
                           callbacks=[lambda *told: self.fail("told")])

    def test_an_outcome_that_nobody_heard_is_not_told(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        brief = slipstream.Deadlines(1, 1)
        study = self.open(address=proxy.address,
                          options=slipstream.Options(call=brief, outcome=brief))
        proxy.losses["Observe"] = ["call"] * 10000

        def objective(trial):
            raise OSError("disk")

        with self.assertWarnsRegex(UserWarning, "OSError: disk"):
            study.optimize(objective, trials=1, catch=OSError, progress=False,
                           callbacks=[lambda *told: self.fail("told")])
        self.assertEqual(states(study), ["active"])

    def test_workers_call_them_one_at_a_time(self):
        study = self.open()
        together, calling, called = threading.Barrier(4), threading.Lock(), []

        def objective(trial):
            together.wait(PATIENCE)
            return trial.x

        def callback(told, record):
            self.assertTrue(calling.acquire(blocking=False))
            called.append(told.trial(record.number))
            calling.release()

        study.optimize(objective, trials=12, workers=4, progress=False, callbacks=[callback])
        self.assertEqual(sorted(one.number for one in called), list(range(1, 13)))

    def test_one_may_stop_the_optimisation(self):
        study = self.open()
        before = []
        study.optimize(lambda trial: trial.x, progress=False, callbacks=(
            lambda told, record: told.stop() if record.number == 3 else None,
            lambda told, record: before.append(record.number)))
        self.assertEqual(before, [1, 2, 3])
        self.assertEqual(states(study), ["succeeded"] * 3)

    def test_an_exception_in_one_ends_the_optimisation_and_is_raised(self):
        for workers in (1, 2):
            self.setUp()
            study = self.open()

            def callback(told, record):
                if record.number == 2:
                    raise RuntimeError("full")

            with self.assertRaisesRegex(RuntimeError, "^full$"):
                study.optimize(lambda trial: trial.x, progress=False, workers=workers,
                               catch=Exception, callbacks=[callback])
            self.assertEqual(set(states(study)) - {"requested"}, {"succeeded"})

    def test_trials_are_only_read_for_them(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(address=proxy.address)
        for callbacks, reads in (([], 0), ([lambda *told: None] * 2, 3)):
            study.optimize(lambda trial: trial.x, trials=3, progress=False, callbacks=callbacks)
            self.assertEqual(len(proxy.calls.get("GetTrial", [])), reads)

    async def call(self, told, record):
        pass

    def test_what_is_no_list_of_functions_is_refused(self):
        study = self.open()
        for callbacks, words in (
            (print, r"callbacks=<built-in function print> must be a list .*callbacks=\[f\]"),
            (None, "callbacks=None must be a list of functions"),
            ("print", "callbacks='print' must be a list of functions"),
            ([print, 3], "callbacks has 3, which cannot be called"),
            ([self.call], "the callback .* is asynchronous: .* by slipstream.aio"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                study.optimize(lambda trial: self.fail("started"), callbacks=callbacks)

    def test_those_of_asyncio_may_be_asynchronous(self):
        async def body(study):
            heard, calling, everybody = [], asyncio.Lock(), asyncio.Event()

            async def objective(trial):
                if trial.number == 3:
                    everybody.set()
                await everybody.wait()
                if trial.number == 2:
                    raise OSError("disk")
                return trial.x

            async def callback(told, record):
                self.assertFalse(calling.locked())
                async with calling:
                    heard.append((told, await told.trial(record.number)))

            def plain(told, record):
                self.assertEqual(heard[-1], (study, record))
                if len(heard) == 6:
                    told.stop()

            with self.assertWarnsRegex(UserWarning, "OSError: disk"):
                await study.optimize(objective, workers=3, progress=False, catch=OSError,
                                     callbacks=[callback, plain])
            self.assertGreaterEqual(len(heard), 6)
            self.assertEqual(
                sorted(record.number for _, record in heard),
                [trial.number for trial in await study.trials() if trial.ended])

        self.run_async(body)

    def test_an_exception_in_one_of_asyncio_is_raised(self):
        async def body(study):
            async def objective(trial):
                return trial.x

            async def callback(told, record):
                if record.number == 1:
                    raise RuntimeError("full")

            with self.assertRaisesRegex(RuntimeError, "^full$"):
                await study.optimize(objective, workers=2, catch=Exception, progress=False,
                                     callbacks=[callback])
            return {trial.state for trial in await study.trials()}

        self.assertLessEqual(self.run_async(body), {"succeeded", "requested"})

    def test_what_is_no_list_of_functions_is_refused_in_asyncio(self):
        async def body(study):
            with self.assertRaisesRegex(TypeError, r"must be a list .*callbacks=\[f\]"):
                await study.optimize(self.call, callbacks=self.call)

        self.run_async(body)


if __name__ == "__main__":
    unittest.main()
