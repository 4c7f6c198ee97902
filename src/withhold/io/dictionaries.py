"""Chunks of a dictionary column brought to one dictionary, also of the values at which Arrow fails."""

import pyarrow as pa


def unified_table(table: pa.Table) -> pa.Table:
    """Return a table each of whose dictionary columns has one dictionary.

    Examples
    --------
    >>> parts = [pa.table({"a": pa.array(levels).dictionary_encode()}) for levels in (["x"], ["y"])]
    >>> unified_table(pa.concat_tables(parts)).column("a").chunk(1).dictionary.to_pylist()
    ['x', 'y']
    """
    for j, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and table.column(j).num_chunks > 1:
            table = table.set_column(j, field, unified(table.column(j)))
    return table


def unified(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the chunks with one dictionary, which begins with that of the first.

    Examples
    --------
    >>> halves = [pa.array(values, pa.float16()).dictionary_encode() for values in ([0.5], [2.5, 0.5])]
    >>> [chunk.to_pylist() for chunk in unified(pa.chunked_array(halves)).chunks]
    [[0.5], [2.5, 0.5]]
    """
    kind = column.type
    if pa.types.is_null(kind.value_type):  # Arrow unifies none
        missing = [pa.nulls(len(chunk), kind.index_type) for chunk in column.chunks]
        return _coded(missing, [pa.nulls(0)] * len(missing), kind)
    if not pa.types.is_float16(kind.value_type):
        return column.unify_dictionaries()
    # Arrow 26 takes the bits of half floats for whole numbers: let them be some while it works.
    codes = [chunk.indices for chunk in column.chunks]
    bits = _coded(codes, [chunk.dictionary.view(pa.uint16()) for chunk in column.chunks], _bits(kind))
    whole = bits.unify_dictionaries()
    dictionaries = [chunk.dictionary.view(kind.value_type) for chunk in whole.chunks]
    return _coded([chunk.indices for chunk in whole.chunks], dictionaries, kind)


def _bits(kind: pa.DataType) -> pa.DataType:
    return pa.dictionary(kind.index_type, pa.uint16(), kind.ordered)


def _coded(codes: list[pa.Array], dictionaries: list[pa.Array], kind: pa.DataType) -> pa.ChunkedArray:
    pairs = zip(codes, dictionaries, strict=True)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(c, d, ordered=kind.ordered) for c, d in pairs], kind)
