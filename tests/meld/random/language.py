"""Statements that use the language more widely: one function for each feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.meld.random.call_features import lambda_call, lambda_in_arm, method, overload, reference_call, template_call
from tests.meld.random.declaration_features import (
    alias,
    attribute,
    constant,
    deduced,
    enumeration,
    local_array,
    local_volatile,
    pointer,
    reference,
    shadow,
)
from tests.meld.random.flow_features import (
    constant_if,
    goto,
    initialised_if,
    lone_block,
    nested_loops,
    unrolled,
    warp_sync,
)
from tests.meld.random.number_features import aliased, boolean, division, narrow, signed_update
from tests.meld.random.parts import Parts, Text
from tests.meld.random.preprocessor_features import directives, macro_block, macro_declaration, macro_loop, macro_pair
from tests.meld.random.tree import Feature


def feature_text(feature: Feature, parts: Parts) -> Text:
    return _WRITERS[feature](parts)


_WRITERS: Final[dict[Feature, Callable[[Parts], Text]]] = {
    Feature.TEMPLATE_CALL: template_call,
    Feature.OVERLOAD: overload,
    Feature.REFERENCE_CALL: reference_call,
    Feature.LAMBDA_IN_ARM: lambda_in_arm,
    Feature.LAMBDA_CALL: lambda_call,
    Feature.METHOD: method,
    Feature.REFERENCE: reference,
    Feature.POINTER: pointer,
    Feature.LOCAL_ARRAY: local_array,
    Feature.SHADOW: shadow,
    Feature.DEDUCED: deduced,
    Feature.CONSTANT: constant,
    Feature.ENUMERATION: enumeration,
    Feature.ALIAS: alias,
    Feature.ATTRIBUTE: attribute,
    Feature.LOCAL_VOLATILE: local_volatile,
    Feature.MACRO_BLOCK: macro_block,
    Feature.MACRO_DECLARATION: macro_declaration,
    Feature.MACRO_PAIR: macro_pair,
    Feature.MACRO_LOOP: macro_loop,
    Feature.DIRECTIVES: directives,
    Feature.CONSTANT_IF: constant_if,
    Feature.INITIALISED_IF: initialised_if,
    Feature.GOTO: goto,
    Feature.UNROLLED: unrolled,
    Feature.NESTED_LOOPS: nested_loops,
    Feature.LONE_BLOCK: lone_block,
    Feature.WARP_SYNC: warp_sync,
    Feature.BOOLEAN: boolean,
    Feature.NARROW: narrow,
    Feature.SIGNED_UPDATE: signed_update,
    Feature.DIVISION: division,
    Feature.ALIASED: aliased,
}
"""One for each feature: `test_the_generator_reaches_every_feature`."""
