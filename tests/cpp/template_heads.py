"""Template parameters as C++ text."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cpp.templates.parameters import TemplateParameter
from analysis.cpp.types.model import DependentType, DependentValue, TemplateName


def listed(template: Sequence[TemplateParameter]) -> str:
    """What stands between the angle brackets behind `template`."""
    words = {DependentType: "class", DependentValue: "int", TemplateName: "template <class> class"}
    return ", ".join(f"{words[one.kind]}{'...' if one.is_pack else ''} {one.name}" for one in template)
