"""What a sanitiser in the hands of a recipient adds to the attack on its release, as tables for the judge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.audit.effort import find_effort
from withhold.audit.view.averaging import averaged
from withhold.contracts.errors import DataError, WithholdError
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_column, image_names
from withhold.contracts.threats import DriftNote
from withhold.methods.estimator.drift import drift_of
from withhold.methods.estimator.recipient import decoded, draws, noise_free, pixels_without_noise, redraw
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.private_release import given_to

# Releases of the same records in the question what repeating the release would tell.
RELEASES = 10
APPLIED, DECODED = "sanitiser applied to the release", "table decoded from the release"
REPEATED = f"{RELEASES} releases with fresh noise (not made)"


@dataclass(frozen=True)
class Possession:
    """Tables, row for row the records of the release.

    Attributes
    ----------
    redrawn : tuple of pyarrow.Table
        Further draws of the originals, with the columns of the release.
    surfaces : dict
        What the sanitiser makes of the release.
    hypothetical : dict
        What several releases with fresh noise would come to.
    latent : tuple of pyarrow.Table, or None
        What the sanitiser makes of each original without noise, and what stands for it in the same space.
    drift : tuple of DriftNote
        Where the originals are unlike the rows of the fit.
    findings : tuple of Finding
        What could not be done, and why.
    method : str
        Name of the sanitiser's method.
    """

    redrawn: tuple[pa.Table, ...] = ()
    surfaces: dict[str, pa.Table] = field(default_factory=dict)
    hypothetical: dict[str, pa.Table] = field(default_factory=dict)
    latent: tuple[pa.Table, pa.Table] | None = None
    drift: tuple[DriftNote, ...] = ()
    findings: tuple[Finding, ...] = ()
    method: str = ""


def possess(
    sanitizer: Sanitizer, released: pa.Table, original: pa.Table | None, effort: str, redraws: bool = True
) -> Possession:
    """Do what a recipient could do who has the sanitiser, not its key, and the originals of records he knows.

    Parameters
    ----------
    sanitizer : Sanitizer
        Fitted.
    released : pyarrow.Table
        The attacked columns of the release.
    original : pyarrow.Table or None
        The features before sanitising, row for row.
    effort : {"quick", "standard", "thorough"}
        More effort, more draws.
    redraws : bool
        Whether to draw at all.
    """
    name = type(sanitizer).__name__
    try:
        return replace(_possess(sanitizer, released, original, effort, redraws), method=name)
    except (WithholdError, KeyError, ValueError, pa.ArrowInvalid) as error:
        return not_used(name, error)


def not_used(method: str, error: Exception) -> Possession:
    """Say that a sanitiser could not be used, and why.

    Examples
    --------
    >>> not_used("Noise", KeyError("it makes the column 'a'")).findings[0].code
    'sanitizer_not_used'
    """
    why = str(error.args[0] if isinstance(error, KeyError) and error.args else error).splitlines()[0]
    text = f"The sanitiser was given but could not be used against this release: {why}"
    return Possession(findings=(Finding(code="sanitizer_not_used", severity="warning", text=text),), method=method)


def features_for(sanitizer: Sanitizer, table: pa.Table) -> Any:
    """Return the columns a sanitiser reads, as the container it was fitted on: a table, or an array without a codec."""
    if sanitizer.encoding_.image is not None:
        return table.select(image_names(table))
    if sanitizer.codec_ is not None:
        return table.select(list(sanitizer.codec_.schema.names))  # without identifiers, which no release holds
    names = getattr(sanitizer, "feature_names_in_", None)
    chosen = table if names is None else table.select([str(name) for name in names])
    if chosen.num_columns != sanitizer.n_features_in_:
        raise KeyError(f"it reads {sanitizer.n_features_in_} columns and the table has {chosen.num_columns}")
    return np.column_stack([column.to_numpy() for column in chosen.columns])


def latent_table(Z: np.ndarray) -> pa.Table:
    """Return a representation as a table with columns z0, z1, ...

    Examples
    --------
    >>> latent_table(np.zeros((2, 2))).column_names
    ['z0', 'z1']
    """
    return pa.table({f"z{j}": np.ascontiguousarray(Z[:, j]) for j in range(Z.shape[1])})


def _possess(
    sanitizer: Sanitizer, released: pa.Table, original: pa.Table | None, effort: str, redraws: bool
) -> Possession:
    surfaces: dict[str, pa.Table] = {}
    latent = stands = None
    if sanitizer.output_ == "images":
        # Pixels are compared with pixels as they are; what is new is the sanitiser applied to its own output.
        surfaces[APPLIED] = pixels_without_noise(sanitizer, features_for(sanitizer, released))
    elif sanitizer.output_ == "table":
        stands = latent_table(noise_free(sanitizer, features_for(sanitizer, _restored(released, original, sanitizer))))
        surfaces[APPLIED] = stands
    else:
        names = _names(sanitizer, released)
        Z = np.column_stack([released.column(name).to_numpy() for name in names])
        stands = latent_table(Z)
        table = decoded(sanitizer, Z)
        if table is not None:
            surfaces[DECODED] = table
    if original is None:
        return Possession(surfaces=surfaces)
    inputs = features_for(sanitizer, original)
    if stands is not None:
        latent = latent_table(noise_free(sanitizer, inputs)), stands
    unlike = tuple(drift_of(sanitizer, inputs))
    if not (redraws and draws(sanitizer)):
        return Possession(surfaces=surfaces, latent=latent, drift=unlike)
    wanted = max(find_effort(effort).redraws, RELEASES - 1)
    drawn = [completed(redraw(sanitizer, inputs), sanitizer, released) for _ in range(wanted)]
    mean = averaged([released, *drawn[: RELEASES - 1]])
    return Possession(
        redrawn=tuple(drawn[: find_effort(effort).redraws]),
        surfaces=surfaces,
        hypothetical={REPEATED: mean} if mean.num_columns else {},
        latent=latent,
        drift=unlike,
    )


def _restored(released: pa.Table, original: pa.Table | None, sanitizer: Sanitizer) -> pa.Table:
    """Return the release with the columns the sanitiser reads and does not release, which tell nothing: empty."""
    table = released
    for name in () if sanitizer.codec_ is None else sanitizer.codec_.schema.names:
        if name not in table.column_names:
            if original is None:
                raise KeyError(f"the column '{name}', which it reads, is not in the release")
            kind = original.schema.field(name).type
            table = table.append_column(name, pa.nulls(table.num_rows, kind))
    return table


def _names(sanitizer: Sanitizer, released: pa.Table) -> Sequence[str]:
    """Return the columns of the release that hold its representation."""
    named = [str(name) for name in sanitizer.get_feature_names_out()]
    if all(name in released.column_names for name in named):
        return named
    if released.num_columns == len(named):
        return list(released.column_names)
    raise KeyError(f"the release has {released.num_columns} columns and the sanitiser makes {len(named)}")


def completed(drawn: Any, sanitizer: Sanitizer, released: pa.Table) -> pa.Table:
    """Return a draw with the columns of the release; what the sanitiser does not make stays as it was released."""
    if isinstance(drawn, pa.Table):
        made = {name: drawn.column(name) for name in drawn.column_names}
    else:
        made = {name: np.ascontiguousarray(drawn[:, j]) for j, name in enumerate(_names(sanitizer, released))}
    missing = [name for name in made if name not in released.column_names]
    if missing:
        raise KeyError(f"it makes the column '{missing[0]}', which is not in the release")
    columns = [made.get(name, released.column(name)) for name in released.column_names]
    return pa.table(columns, names=released.column_names).cast(released.schema)


READ = "latents that the sanitiser reads off the release"


def possess_generator(
    sanitizer: Sanitizer,
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
    sanitizer, released, original, effort
        As of `possess`; a fitted CADP.
    classes : tuple of pyarrow.Table
        Where the class of each record is looked for, the release first: there stands the one it was released under.
    """
    name = type(sanitizer).__name__
    try:
        return replace(_generate(sanitizer, released, original, effort, classes), method=name)
    except (WithholdError, KeyError, ValueError, pa.ArrowInvalid) as error:
        return not_used(name, error)


def _generate(
    sanitizer: Sanitizer, released: pa.Table, original: pa.Table | None, effort: str, classes: tuple[pa.Table, ...]
) -> Possession:
    wanted = sanitizer.condition_.name
    found = [table.select([wanted]) for table in classes if wanted in table.column_names]
    if wanted and not found:
        raise DataError(
            f"Neither the release nor the original data have the class {wanted!r}, under which each record was made. "
            "Pass the file that holds it with --original."
        )
    shown, true = (found[0], found[-1]) if wanted else (None, None)
    stands = latent_table(sanitizer.latents(_read(sanitizer, released), shown, kept=True))
    if original is None:
        return Possession(surfaces={READ: stands})
    inputs = _read(sanitizer, original)
    latent = latent_table(sanitizer.latents(inputs, true, kept=True)), stands
    drawn = tuple(_draws(sanitizer, inputs, true, released, find_effort(effort).redraws))
    return Possession(redrawn=drawn, surfaces={READ: stands}, latent=latent, drift=tuple(drift_of(sanitizer, inputs)))


def _draws(
    sanitizer: Sanitizer, inputs: Any, true: pa.Table | None, released: pa.Table, times: int
) -> Iterator[pa.Table]:
    with sanitizer.uncounted() as drawing:  # nobody else's records, and nothing that is handed over
        for _ in range(times):
            drawn, _ = drawing.release(inputs, true)
            if sanitizer.encoding_.image is not None and not isinstance(drawn, pa.Table):
                drawn = pa.table({image_names(released)[0]: image_column(drawn)})
            yield completed(drawn, sanitizer, released)


def _read(sanitizer: Sanitizer, table: pa.Table) -> Any:
    return table.select(image_names(table)) if sanitizer.encoding_.image is not None else given_to(sanitizer, table)
