"""The study of a run as plain data, for `simulate --json`: it may grow, no name changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from sim.observers.convergence import ConvergenceAnswer
from sim.observers.oracle_convergence import OracleAnswer
from sim.observers.register_kinds import KindCount, RegisterShares
from sim.observers.scalar_activity import Executed, ScalarActivity, Source
from sim.report.study import Study


class KindObject(TypedDict):
    uniform: int
    affine: int
    generic: int
    lone: int
    uniform_share: float
    affine_share: float


class SharesObject(TypedDict):
    reads: KindObject
    results: KindObject


class RegistersObject(TypedDict):
    tags: SharesObject
    values: SharesObject


class DispatchedObject(TypedDict):
    warp_instructions: int
    thread_instructions: int
    share: float


class OracleObject(TypedDict):
    total: int
    proven: int
    low: int
    high: int
    least_share: float
    most_share: float
    regions: int
    unsolved: int


class ExecutedObject(TypedDict):
    issued: int
    operations: int
    reads: int
    writes: int
    addresses: int
    data: int


class ActivityObject(TypedDict):
    conventional: dict[str, ExecutedObject]
    scalarized: dict[str, ExecutedObject]
    saved: dict[str, float]


class StudyObject(TypedDict):
    policy: str
    registers: RegistersObject
    convergence: dict[str, DispatchedObject]
    oracle: OracleObject
    activity: ActivityObject


def study_object(study: Study) -> StudyObject:
    return {
        "policy": study.policy,
        "registers": {"tags": _shares(study.tags), "values": _shares(study.values)},
        "convergence": _convergence(study.convergence),
        "oracle": _oracle(study.oracle),
        "activity": _activity(study.activity),
    }


def _shares(shares: RegisterShares) -> SharesObject:
    return {"reads": _kinds(shares.reads), "results": _kinds(shares.results)}


def _kinds(count: KindCount) -> KindObject:
    return {
        "uniform": count.uniform,
        "affine": count.affine,
        "generic": count.generic,
        "lone": count.lone,
        "uniform_share": count.uniform_share,
        "affine_share": count.affine_share,
    }


def _convergence(answer: ConvergenceAnswer) -> dict[str, DispatchedObject]:
    return {
        kind.value: {
            "warp_instructions": count.warp_instructions,
            "thread_instructions": count.thread_instructions,
            "share": answer.share(kind),
        }
        for kind, count in answer.kinds
    }


def _oracle(answer: OracleAnswer) -> OracleObject:
    least, most = answer.shares
    return {
        "total": answer.total,
        "proven": answer.proven,
        "low": answer.low,
        "high": answer.high,
        "least_share": least,
        "most_share": most,
        "regions": answer.regions,
        "unsolved": answer.unsolved,
    }


def _activity(activity: ScalarActivity) -> ActivityObject:
    return {
        "conventional": _sources(activity.conventional),
        "scalarized": _sources(activity.scalarized),
        "saved": dict(activity.saved()),
    }


def _sources(counts: Mapping[Source, Executed]) -> dict[str, ExecutedObject]:
    return {
        source.value: {
            "issued": count.issued,
            "operations": count.operations,
            "reads": count.reads,
            "writes": count.writes,
            "addresses": count.addresses,
            "data": count.data,
        }
        for source, count in counts.items()
    }
