"""Networks from saved arrays: sizes are compared before anything is allocated, for a file may say anything.

A network of the sizes that a file states is first built without memory. Only when its tensors are those of the file, in
name and shape, is it built in earnest; so it is never larger than the file.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook

Net = TypeVar("Net", bound=nn.Module)


def restored(build: Callable[[], Net], state: Mapping[str, np.ndarray], own: nn.Module | None = None) -> Net:
    """Return the network that `build` makes, with the weights of `state`, ready to compute.

    Parameters
    ----------
    build : callable
        Returns an untrained network.
    state : mapping of str to ndarray
        What its `state_dict` held.
    own : torch.nn.Module, optional
        The user's network, which is in memory already and that `build` copies.

    Raises
    ------
    ValueError
        The arrays are not those of such a network.

    Examples
    --------
    >>> state = {"weight": np.ones((1, 2), np.float32), "bias": np.zeros(1, np.float32)}
    >>> restored(lambda: nn.Linear(2, 1), state)(torch.ones(1, 2)).tolist()
    [[2.0]]
    >>> restored(lambda: nn.Linear(10**12, 1), state)
    Traceback (most recent call last):
    ...
    ValueError: an array 'weight' of shape (1, 2) where its sizes ask for (1, 1000000000000)
    """
    if own is None:
        with torch.device("meta"), _at_most(len(state)):
            planned = build()
        _compare(planned, state, fixed=True)  # what has values without memory is no weight but follows from sizes
    net = build()
    _compare(net, state)
    net.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in state.items()})
    return net.eval().requires_grad_(False)


def _compare(net: nn.Module, state: Mapping[str, np.ndarray], fixed: bool = False) -> None:
    wanted = net.state_dict()
    differ = sorted(wanted.keys() ^ state.keys())
    if differ:
        raise ValueError(f"{'no' if differ[0] in wanted else 'an unknown'} array {differ[0]!r}")
    for name, value in wanted.items():
        shape = tuple(value.shape)
        if state[name].shape != shape:
            raise ValueError(f"an array {name!r} of shape {state[name].shape} where its sizes ask for {shape}")
        if value.is_floating_point() != (state[name].dtype.kind == "f"):
            raise ValueError(f"an array {name!r} of type {state[name].dtype}")
        if fixed and value.device.type != "meta" and not np.array_equal(value.numpy(), state[name]):
            raise ValueError(f"an array {name!r} with other values than follow from its sizes")


@contextmanager
def _at_most(arrays: int) -> Iterator[None]:
    """Stop a network from growing beyond so many parameters: a layer without memory still takes time and a place."""
    count, here = 0, threading.get_ident()

    def counted(module: nn.Module, name: str, parameter: Any) -> None:
        nonlocal count
        count += threading.get_ident() == here and parameter is not None
        if count > arrays:
            raise ValueError(f"{arrays} arrays for a network of more layers")

    hook = register_module_parameter_registration_hook(counted)
    try:
        yield
    finally:
        hook.remove()
