"""What `<nv/target>` defines: code that asks in a macro for which side and architecture it is compiled.

    NV_IF_TARGET(NV_PROVIDES_SM_80, (fast(x);), (slow(x);))
    NV_DISPATCH_TARGET(NV_IS_HOST, (on_host();), NV_PROVIDES_SM_90, (newest();), NV_ANY_TARGET, (others();))

Rules    An arm stands in brackets, which its expansion takes away; of `NV_DISPATCH_TARGET` the first that fits stands.
Limits   So many arms as `_ARMS`.  What has a feature (`NV_HAS_FEATURE_SM_90a`) counts as what is exactly that
         architecture.  The header is a system header: where a project brings its own, what that defines counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final


@lru_cache(maxsize=64)
def target_macros(architectures: tuple[int, ...], architecture: int | None) -> Mapping[str, str]:
    """The macros and their bodies where `__CUDA_ARCH__` is `architecture`; None: on the host."""
    values = {"NV_IS_HOST": architecture is None, "NV_IS_DEVICE": architecture is not None}
    values |= {"NV_ANY_TARGET": True, "NV_NO_TARGET": False}
    for one in architectures:
        name = f"SM_{one // 10}"
        values[f"NV_PROVIDES_{name}"] = architecture is not None and architecture >= one
        values[f"NV_IS_EXACTLY_{name}"] = architecture == one
        if one >= _WITH_FEATURES:
            values[f"NV_HAS_FEATURE_{name}a"] = architecture == one
    return {**_DISPATCH, **{name: str(int(holds)) for name, holds in values.items()}}


_ARMS: Final = 8
_WITH_FEATURES: Final = 900
_DISPATCH: Final[Mapping[str, str]] = {
    "NV_IF_TARGET(condition, ...)": "_NV_CHOOSE(condition, __VA_ARGS__, (), ())",
    "NV_IF_ELSE_TARGET(condition, ...)": "_NV_CHOOSE(condition, __VA_ARGS__, (), ())",
    "_NV_CHOOSE(condition, arm, other, ...)": "_NV_CHOOSE_##condition(arm, other)",
    "_NV_CHOOSE_1(arm, other)": "_NV_BARE arm",
    "_NV_CHOOSE_0(arm, other)": "_NV_BARE other",
    "_NV_BARE(...)": "__VA_ARGS__",
    "NV_DISPATCH_TARGET(...)": "_NV_ARM_1(__VA_ARGS__, 1, (), 1, ())",
    # A macro is not expanded within itself: each arm has its own.
    **{
        text: body
        for arm in range(1, _ARMS + 1)
        for text, body in (
            (f"_NV_ARM_{arm}(condition, ...)", f"_NV_ARM_{arm}_IF(condition, __VA_ARGS__)"),
            (f"_NV_ARM_{arm}_IF(condition, arm, ...)", f"_NV_ARM_{arm}_##condition(arm, __VA_ARGS__)"),
            (f"_NV_ARM_{arm}_1(arm, ...)", "_NV_BARE arm"),
            (f"_NV_ARM_{arm}_0(arm, ...)", f"_NV_ARM_{arm + 1}(__VA_ARGS__)"),
        )
    },
    f"_NV_ARM_{_ARMS + 1}(...)": "",
}
