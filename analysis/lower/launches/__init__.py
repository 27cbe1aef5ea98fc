"""How kernels are launched: by the host code of the file, and by the comment above a kernel."""

from __future__ import annotations

from analysis.lower.launches.annotation import AnnotationProblem, AnnotationProblemKind, LaunchAnnotation, annotation
from analysis.lower.launches.find import launch_shapes, launches_around
from analysis.lower.launches.model import Launch, Shape
from analysis.lower.launches.other_uses import UseKey, Uses, is_named, kernels_used_otherwise
from analysis.lower.launches.same_name import launches_of, takes

__all__ = [
    "AnnotationProblem",
    "AnnotationProblemKind",
    "Launch",
    "LaunchAnnotation",
    "Shape",
    "UseKey",
    "Uses",
    "annotation",
    "is_named",
    "kernels_used_otherwise",
    "launch_shapes",
    "launches_around",
    "launches_of",
    "takes",
]
