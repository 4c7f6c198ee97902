"""Which methods apply to a table: by its kind, the utility attribute and what each of them needs."""

from collections.abc import Mapping

from withhold.contracts.images import image_names
from withhold.contracts.plan_record import MethodTold
from withhold.methods.catalogue import AUTO, DEFAULT
from withhold.workflow.choice import available, method_class
from withhold.workflow.job import Job
from withhold.workflow.release import is_matrix

# It applies to tables too: where few rows leave other readers nothing to find, it keeps most.
LINEAR_ONLY = "it stops linear readers only; other readers often undo it on tables, which the audit finds"
# Controls and baselines are for comparison: no plan proposes them.
CONTROLS = frozenset({"identity", "noise", "erm", "aii", "ns", "revgrad", "crossgrad"})


def methods_for(job: Job, fits: Mapping[str, float]) -> list[MethodTold]:
    """Return every method that is no control, those that apply first.

    Parameters
    ----------
    fits : mapping of str to float
        Seconds of the fit, where they are known.
    """
    told = []
    for name in available():
        if name in CONTROLS:
            continue
        why = obstacle(name, job)
        known = why or (LINEAR_ONLY if name == "leace" and not _matrix(job) else "")
        told.append(MethodTold(method=name, applies=not why, why=known, fit_seconds=None if why else fits.get(name)))
    first = DEFAULT if job.request.method == AUTO else job.request.method
    return sorted(told, key=lambda one: (not one.applies, one.method != first, one.method))


def obstacle(name: str, job: Job) -> str:
    """Return why a method does not apply, "" where it does.

    Parameters
    ----------
    name : str
        As in `withhold.workflow.choice.available`.
    """
    method = method_class(name)
    features = job.table.select(list(job.roles.features))
    if image_names(features) and not method.accepts_images:
        return "it takes tables, not images"
    if method.fresh_noise:
        return "it gives differential privacy per record and hides no attribute in particular (--epsilon)"
    if method.needs_y and not job.roles.utility:
        return "it needs a column to stay useful (--utility)"
    if method.needs_y and len(job.roles.utility) > 1 and not method.several_y:
        return "it keeps one --utility column"
    return ""


def _matrix(job: Job) -> bool:
    return is_matrix(job.table, job.roles.features)
