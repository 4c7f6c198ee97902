"""Settings by search: trials of a method within a time limit, on rows that no cell of a frontier is judged on."""

import math
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.errors import InvalidParameterError, MissingExtraError
from withhold.contracts.frontier_record import FrontierRecord, TunedSetting
from withhold.contracts.ranges import ranges
from withhold.contracts.seeds import stream
from withhold.contracts.wording import option
from withhold.io.atomic import write_text
from withhold.training.session import one_thread
from withhold.workflow.choice import command_name, method_class, parse
from withhold.workflow.choosing.candidates import AIMS
from withhold.workflow.choosing.objective import Objective
from withhold.workflow.choosing.settle import divided
from withhold.workflow.choosing.trial import Candidate, attempt, named
from withhold.workflow.frontier.cells import Cell, cells_of
from withhold.workflow.frontier.grid import read_file
from withhold.workflow.job import Job, job_of
from withhold.workflow.plan_words import command_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

TUNING = "tuning"
# Fewer rows choose at random; a search of more trials takes longer to think than to try.
FEWEST_ROWS, MOST_TRIALS = 50, 200
Log = Callable[[str], None]


def require_optuna() -> Any:
    """Return the package that proposes settings.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError("Searching settings needs Optuna: pip install 'withhold[tune]'.") from error
    return optuna


def tune(
    request: Request,
    source: Source,
    methods: Sequence[Candidate],
    budgets: Sequence[float],
    seeds: Sequence[int],
    folder: Path,
    seconds: float,
    log: Log,
) -> list[TunedSetting]:
    """Search settings of each method, and return the best for each budget.

    Only rows that are fitted on with every seed are looked at: on the others cells are judged. They are divided as for
    the choice of a method, and trials are measured and compared as there. Each trial is a file: a kill loses one.

    Parameters
    ----------
    budgets : sequence of float
        Nats that a release may tell.
    seeds : sequence of int
        Of the cells.
    folder : Path
        Trials go to its folder `tuning`.
    seconds : float
        For all methods; none begins a trial that would end later, if it took as long as the last.
    """
    jobs = [job_of(replace(request, seed=seed), source) for seed in seeds]
    rows = np.flatnonzero(np.logical_and.reduce([job.parts.fit for job in jobs]))
    if len(rows) < FEWEST_ROWS:
        raise InvalidParameterError(
            f"{len(rows)} rows are judged with none of the {len(seeds)} seeds, too few to search settings on. Take "
            f"fewer {option('seeds')}, or leave {option('tune')} out."
        )
    part = divided(jobs[0], rows)
    place = folder / TUNING / "-".join(["seeds", *map(str, seeds)])
    place.mkdir(parents=True, exist_ok=True)
    log(f"searching settings on {part.table.num_rows:,} rows, {int(part.parts.fit.sum()):,} of them fitted")
    found = []
    for i, method in enumerate(methods):
        search = Search(part, method, budgets, place, seconds / (len(methods) - i), log)
        with one_thread():
            search.run()
        seconds = max(0.0, seconds - search.spent)
        for budget in budgets:
            objective = Objective(budget, None)
            best = objective.best(search.trials)
            if best is not None:
                held, tried = objective.held(best), len(search.trials)
                found.append(TunedSetting(budget=budget, held=held, trials=tried, trial=best))
    return found


@dataclass
class Search:
    """The search of one method's settings: the usual ones first, then what a tree-structured Parzen estimator proposes.

    Each budget is searched for in turn, and what is learned for one is told to all.

    Attributes
    ----------
    part : Job
        About the rows of the trials.
    method : Candidate
        Its settings are the same in all trials.
    place : Path
        Folder of the trials' files: what is there is not tried again.
    seconds : float
        Time for the search.
    spent : float
        Seconds so far; of trials that were there, the CPU seconds that they took.
    last : float
        Those of the last trial.
    """

    part: Job
    method: Candidate
    budgets: Sequence[float]
    place: Path
    seconds: float
    log: Log
    spent: float = 0.0
    last: float = 0.0
    trials: list[TrialRecord] = field(default_factory=list)
    now: Callable[[], float] = time.monotonic

    def run(self) -> None:
        """Try settings until the time is up."""
        optuna, known = require_optuna(), self._space()
        space = {
            name: (optuna.distributions.IntDistribution if base is int else optuna.distributions.FloatDistribution)(
                low, high, log=True
            )
            for name, (base, low, high) in known.items()
        }
        for settings in dict.fromkeys(cell.settings for cell in cells_of(self.method, self.budgets)):
            if self._affords():
                self._try(settings)
        loud = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            studies = [(Objective(budget, None), self._study(i)) for i, budget in enumerate(self.budgets)]
            while space and self._affords():
                for _, study in studies:
                    if self._affords():
                        self._propose(study, space, studies)
        finally:
            optuna.logging.set_verbosity(loud)

    def _study(self, number: int) -> Any:
        optuna = require_optuna()
        seed = stream(self.part.request.seed, "workflow", "tuning", number).integers(1 << 31)
        return optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=int(seed)))

    def _propose(self, study: Any, space: dict[str, Any], studies: Sequence[tuple[Objective, Any]]) -> None:
        """Try what the study of one budget proposes, and tell it and all others what came of it."""
        optuna = require_optuna()
        asked = study.ask(space)
        pairs = (
            f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in asked.params.items()
        )
        trial = self._try((*self.method.settings, *pairs))
        if trial.failed or not math.isfinite(trial.most):
            study.tell(asked, state=optuna.trial.TrialState.FAIL)
            return
        for objective, one in studies:
            # What holds the budget by what it keeps, and below all of that what does not by how far it is from it.
            value = max(trial.kept, -1.0) if objective.held(trial) else -objective.share(trial)
            if one is study:
                study.tell(asked, value)
            else:
                one.add_trial(optuna.trial.create_trial(params=asked.params, distributions=space, value=value))

    def _space(self) -> dict[str, tuple[type, float, float]]:
        """Return what is searched: declared ranges, and the aim of a game for the budgets that are asked for."""
        cls, job = method_class(self.method.method), self.part
        learns = job.request.use_utility or cls.needs_y
        found = {
            name: (base, one.low, one.high) for name, (base, one) in ranges(cls).items() if learns or not one.purpose
        }
        if "budget" in cls.__dataclass_fields__:
            found["budget"] = (float, min(self.budgets) * AIMS[0], max(self.budgets) * AIMS[-1])
        fixed = parse(self.method.settings, cls)
        return {name: one for name, one in found.items() if name not in fixed}

    def _affords(self) -> bool:
        return len(self.trials) < MOST_TRIALS and self.spent + self.last < self.seconds

    def _try(self, settings: tuple[str, ...]) -> TrialRecord:
        name = command_name(method_class(self.method.method))
        path = self.place / Cell(name, settings, self.part.request.seed).file
        if path.exists():
            trial = read_file(TrialRecord, path)
            self.last = trial.seconds
        else:
            began = self.now()
            trial = attempt(self.part, Candidate(name, settings)).record
            write_text(path, trial.model_dump_json(indent=2))
            self.last = self.now() - began
            told = trial.failed or f"at most {trial.most:.3f} nat learned, {trial.kept:.3f} kept"
            self.log(f"trial {len(self.trials) + 1}: {trial}: {told}")
        self.spent += self.last
        self.trials.append(trial)
        return trial


def cells_found(found: Sequence[TunedSetting], seeds: Sequence[int]) -> list[Cell]:
    """Return the cells of settings that a search found, each once."""
    cells = []
    for seed in seeds:
        for trial in (one.trial for one in found):
            aim = parse(trial.settings, method_class(trial.method)).get("budget")
            cells.append(Cell(trial.method, tuple(trial.settings), seed, aim))
    return list(dict.fromkeys(cells))


def commands(request: Request, record: FrontierRecord) -> Iterator[tuple[TunedSetting, str]]:
    """Return the settings that were found with the command that fits each and audits it, on rows no trial has seen."""
    for one in record.tuned:
        asked = named(replace(request, budget=one.budget), one.trial.method, one.trial.settings)
        yield one, shlex.join(command_of(asked, Path("release")))


def searched_for(found: Sequence[TunedSetting], limit: str) -> str:
    """Return what a record says of a search."""
    if not found:
        return f"Settings were searched for {limit}, too short for one trial."
    rows = found[0].trial.n
    return (
        f"Settings were searched for {limit} on {rows:,} rows that no cell is judged on, and compared there by a small "
        "panel; what was found is measured in cells as everything else."
    )
