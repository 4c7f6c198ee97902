"""What a recipient adds to the attack who has a sanitiser that makes records anew: its generator, and further draws."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from withhold.contracts.errors import DataError, WithholdError, sentence
from withhold.contracts.images import image_column, image_names
from withhold.methods.estimator.drift import drift_of
from withhold.workflow.possession import DRAWS, Possession, completed, latent_table, not_used
from withhold.workflow.private_release import given_to

READ = "latents that the sanitiser reads off the release"


def possess_generator(
    sanitizer: Any,
    released: pa.Table,
    original: pa.Table | None,
    effort: str,
    classes: tuple[pa.Table, ...],
) -> Possession:
    """Do what a recipient could do who has the generator and the originals of records he knows.

    He reads off the release the latents that the private answer was about, and draws further releases of the records
    he knows: none of it costs those whose records were released, who gave one answer.

    Parameters
    ----------
    sanitizer : CADP
        Fitted.
    released : pyarrow.Table
        The attacked columns of the release.
    original : pyarrow.Table or None
        The features before sanitising, row for row.
    effort : {"quick", "standard", "thorough"}
        More effort, more draws.
    classes : tuple of pyarrow.Table
        Where the class of each record is looked for, the release first: there stands the one it was released under.
    """
    name = type(sanitizer).__name__
    try:
        return replace(_generate(sanitizer, released, original, effort, classes), method=name)
    except (WithholdError, KeyError, ValueError, pa.ArrowInvalid) as error:
        return not_used(name, error)


def _generate(
    sanitizer: Any, released: pa.Table, original: pa.Table | None, effort: str, classes: tuple[pa.Table, ...]
) -> Possession:
    wanted = sanitizer.condition_.name
    found = [table.select([wanted]) for table in classes if wanted in table.column_names]
    if wanted and not found:
        why = "It reads and makes every record under its class."
        remedy = "Pass the file that holds it with --original."
        subject = f"The class {wanted!r} of the records"
        raise DataError(sentence(subject, "in the release or in the original data", "neither", why, remedy))
    shown, true = (found[0], found[-1]) if wanted else (None, None)
    stands = latent_table(sanitizer.latents(_read(sanitizer, released), shown, kept=True))
    if original is None:
        return Possession(surfaces={READ: stands})
    inputs = _read(sanitizer, original)
    latent = latent_table(sanitizer.latents(inputs, true, kept=True)), stands
    drawn = tuple(_draws(sanitizer, inputs, true, released, DRAWS[effort]))
    return Possession(redrawn=drawn, surfaces={READ: stands}, latent=latent, drift=tuple(drift_of(sanitizer, inputs)))


def _draws(sanitizer: Any, inputs: Any, true: pa.Table | None, released: pa.Table, times: int) -> Iterator[pa.Table]:
    with sanitizer.uncounted() as drawing:  # nobody else's records, and nothing that is handed over
        for _ in range(times):
            drawn, _ = drawing.release(inputs, true)
            if sanitizer.encoding_.image is not None and not isinstance(drawn, pa.Table):
                drawn = pa.table({image_names(released)[0]: image_column(drawn)})
            yield completed(drawn, sanitizer, released)


def _read(sanitizer: Any, table: pa.Table) -> Any:
    return table.select(image_names(table)) if sanitizer.encoding_.image is not None else given_to(sanitizer, table)
