"""The study as JSON: everything that was counted."""

from __future__ import annotations

import json
from collections.abc import Sequence

from benchmarks.melding.counts import Counts
from benchmarks.melding.study import Comparison, SubjectStudy, ThresholdCurve


def study_json(studies: Sequence[SubjectStudy]) -> str:
    kernels = [
        {
            "kernel": study.subject,
            "source_edits": study.source_edits,
            "comparisons": [_comparison(one) for one in study.comparisons],
            "thresholds": [_curve(one) for one in study.curves],
        }
        for study in studies
    ]
    return json.dumps({"kernels": kernels}, indent=2) + "\n"


def _comparison(comparison: Comparison) -> dict[str, object]:
    return {
        "block": comparison.block,
        "warp_size": comparison.warp_size,
        "before": _counts(comparison.before),
        "after": {variant.value: _counts(counts) for variant, counts in comparison.after.items()},
    }


def _counts(counts: Counts) -> dict[str, object]:
    return {
        "issued_warp_instructions": counts.issued,
        "issue_slots": counts.slots,
        "alu_utilisation": round(counts.utilisation, 4),
        "shared_requests": counts.shared_requests,
        "global_requests": counts.global_requests,
    }


def _curve(curve: ThresholdCurve) -> dict[str, object]:
    return {
        "block": curve.block,
        "warp_size": curve.warp_size,
        "speed_ups": {f"{threshold:.1f}": round(value, 4) for threshold, value in curve.speed_ups.items()},
    }
