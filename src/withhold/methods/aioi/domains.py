"""Which domain the records of a fit belong to."""

import numpy as np

from withhold.contracts.checks import unknown
from withhold.data.codec import TableCodec
from withhold.methods.aioi.images import ImageDomain
from withhold.methods.aioi.tables import RepresentationDomain, TableDomain
from withhold.methods.aioi.vectors import FilterDomain, FilterSettings, VectorDomain
from withhold.methods.estimator.fit_data import FitData


def learn_domain(data: FitData, settings: FilterSettings) -> FilterDomain:
    """Return the domain of the records, with what it learns from them.

    Raises
    ------
    InvalidParameterError
        It has no filter of the name asked for.
    """
    domain: FilterDomain
    others: tuple[str, ...] = ()
    if data.shape is not None:
        domain = ImageDomain.learn(data.H, settings, data.shape, data.bounded)
    elif data.codec is not None and settings.filter not in VectorDomain.filters and not settings.paper:
        table = RepresentationDomain if settings.output == "representation" else TableDomain
        domain, others = table.learn(data, settings, data.codec), VectorDomain.filters
    else:
        domain = VectorDomain.learn(data.H, settings, bounded=data.codec is not None)
    known = (*domain.filters, *others)
    if settings.filter not in ("auto", *known):
        raise unknown(f"filter for {domain.kind}", settings.filter, ("auto", *known))
    return domain


def restore_domain(
    state: dict[str, np.ndarray], settings: FilterSettings, codec: TableCodec | None = None
) -> FilterDomain:
    """Return the domain whose `state` it is."""
    for kind in (TableDomain, RepresentationDomain):
        if codec is not None and kind.kind in state:
            return kind.restore(state, settings, codec)
    restored: FilterDomain = (ImageDomain if "shape" in state else VectorDomain).restore(state, settings)
    return restored
