"""How kernels are launched: by the host code of the file, and by the comment above a kernel."""

from __future__ import annotations

from analysis.launches.annotation import AnnotationProblem, AnnotationProblemKind, LaunchAnnotation, annotation
from analysis.launches.find import launch_shapes, launches_around
from analysis.launches.model import Launch, Shape
from analysis.launches.other_uses import UseKey, Uses, is_named, kernels_used_otherwise
from analysis.launches.same_name import launches_of, takes

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
