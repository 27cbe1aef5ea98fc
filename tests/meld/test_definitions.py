"""The definitions of the paper (section IV), on graphs that are written down: what is a region, what are its subgraphs,
which of them can be melded, and how they are aligned.  Its Fig. 5 stands at the end."""

from __future__ import annotations

import re

import pytest

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.ir.instructions import Jump, Undefined
from analysis.ir.verifier import verify
from analysis.meld.alignment import align
from analysis.meld.attempt import aligned_subgraphs
from analysis.meld.draft import FlowDraft
from analysis.meld.facts import draft_of, meld_facts
from analysis.meld.meld import meld_function
from analysis.meld.model import MeldObstacle, PairKind
from analysis.meld.pairs import corresponding_blocks, meldable_pair
from analysis.meld.profitability import profile
from analysis.meld.regions import DivergentRegion, Illegal, region_at
from analysis.meld.repair import repair_dominance
from analysis.meld.settings import Latencies, MeldMethod, MeldSettings
from analysis.meld.shape import FlowShape
from analysis.meld.subgraphs import Subgraph, simplify_arm
from tests.support.textual import Named, read

START = """
  entry:
    %t: u32 = special thread.x
    %i: s32 = convert %t
    %one: s32 = const 1
    %odd: s32 = and %i, %one
    %c: bool = lt %odd, %one
    %d: bool = lt %n, %one
    %a: ptr<global s32> = element %p, %i
"""
WORK = "%{0}v: s32 = load %a\n %{0}s: s32 = add %{0}v, %n\n store %a, %{0}s\n"


def work(name: str) -> str:
    """A load, an addition, a store."""
    return WORK.format(name)


def text(body: str) -> Named:
    """With each label on a line of its own."""
    return read(re.sub(r"^ *([a-z]\w*): ", r"\1:\n", START + body, flags=re.MULTILINE))


def draft_of_text(body: str) -> tuple[Named, FlowDraft]:
    named = text(body)
    return named, draft_of(meld_facts(named.function, LaunchKnowledge()))


def region_of(named: Named, draft: FlowDraft, label: str = "entry") -> DivergentRegion | Illegal:
    return region_at(draft, FlowShape(draft), named.block(label))


def subgraphs(body: str) -> tuple[Named, FlowDraft, tuple[Subgraph, ...], tuple[Subgraph, ...]]:
    """Both arms of the region at the entry."""
    named, draft = draft_of_text(body)
    shape = FlowShape(draft)
    region = region_at(draft, shape, named.block("entry"))
    assert isinstance(region, DivergentRegion)
    arms = simplify_arm(draft, shape, region, 0), simplify_arm(draft, shape, region, 1)
    return named, draft, *arms


IF_THEN = f"""
    branch %c, left, right
  left: branch %d, left_work, left_join

  left_work: {work("l")}
 jump left_join
  left_join: jump exit
  right: branch %d, right_work, right_join
  right_work: {work("r")} jump right_join
  right_join: jump exit
  exit: return
"""
IF_ELSE = f"""
    branch %c, left, right
  left: branch %d, left_work, left_other
  left_work: {work("l")}
 jump left_join
  left_other: {work("m")} jump left_join
  left_join: jump exit
  right: branch %d, right_work, right_join
  right_work: {work("r")} jump right_join
  right_join: jump exit
  exit: return
"""
LOOP = f"""
    branch %c, left, right
  left: {work("l")} branch %d, left, exit
  right: {work("r")} jump exit
  exit: return
"""
THREE_PIECES = f"""
    branch %c, left, right
  left: {work("l")} branch %d, left_then, left_join
  left_then: {work("m")} jump left_join
  left_join: {work("n")} jump exit
  right: {work("r")} jump exit
  exit: return
"""


def test_definition_1_a_piece_with_several_edges_out_becomes_a_simple_region() -> None:
    _, draft, left, right = subgraphs(LOOP)
    shape = FlowShape(draft)
    for arm in (left, right):
        (piece,) = arm
        inside = set(piece.blocks)
        entering = [(s, b) for b in inside for s in shape.predecessors[b] if s not in inside]
        leaving = [(b, t) for b in inside for t in shape.successors[b] if t not in inside]
        assert entering == [(piece.before, piece.entry)]
        assert leaving == [(piece.exit, piece.after)]


def test_definition_2_the_exit_of_a_region_is_where_both_paths_meet_first() -> None:
    named, draft = draft_of_text(IF_THEN)
    region = region_of(named, draft)
    assert isinstance(region, DivergentRegion)
    assert (region.entry, region.exit) == (named.block("entry"), named.block("exit"))
    assert region.arms[0] == {named.block(name) for name in ("left", "left_work", "left_join")}
    assert region.arms[1] == {named.block(name) for name in ("right", "right_work", "right_join")}


def test_definitions_3_and_4_an_arm_falls_into_blocks_and_simple_regions_in_order() -> None:
    named, draft, left, right = subgraphs(THREE_PIECES)
    assert [piece.is_block for piece in left] == [False, True]
    assert [piece.is_block for piece in right] == [True]
    region, block = left
    assert named.block("left") in region.blocks
    assert named.block("left_then") in region.blocks
    assert block.blocks == (named.block("left_join"),)
    assert isinstance(draft.blocks[region.exit].terminator, Jump)
    assert region.after == block.entry


@pytest.mark.parametrize(
    ("body", "obstacle"),
    [
        ("branch %c, left, exit\n left: store %a, %n\n jump exit\n exit: return", MeldObstacle.ONE_ARM),
        ("branch %c, exit, left\n left: store %a, %n\n jump exit\n exit: return", MeldObstacle.ONE_ARM),
        ("jump head\n head: branch %c, head, exit\n exit: return", MeldObstacle.LOOP),
        (
            "branch %c, left, right\n left: branch %d, both, exit\n right: branch %d, both, exit\n"
            "both: store %a, %n\n jump exit\n exit: return",
            MeldObstacle.SHARED_CODE,
        ),
        (
            "branch %c, left, right\n left: barrier\n jump exit\n right: jump exit\n exit: return",
            MeldObstacle.BARRIER,
        ),
    ],
)
def test_definition_5_no_successor_post_dominates_the_other(body: str, obstacle: MeldObstacle) -> None:
    named, draft = draft_of_text(body)
    label = "head" if "head" in named.labels else "entry"
    found = region_of(named, draft, label)
    assert isinstance(found, Illegal)
    assert found.obstacle is obstacle


def test_definition_5_the_branch_must_be_divergent() -> None:
    body = f"branch %C, left, right\n left: {work('l')} jump exit\n right: {work('r')} jump exit\n exit: return"
    named = text(body.replace("%C", "%d"))
    result = meld_function(named.function, MeldSettings(MeldMethod.DARM, threshold=0.0))
    assert (result.melded, result.refused) == ((), ())
    named = text(body.replace("%C", "%c"))
    assert meld_function(named.function, MeldSettings(MeldMethod.DARM, threshold=0.0)).melded


@pytest.mark.parametrize(
    ("body", "kind"),
    [(IF_THEN, PairKind.REGION_REGION), (IF_ELSE, None), (THREE_PIECES, PairKind.BLOCK_REGION)],
)
def test_definition_6_which_pairs_are_meldable(body: str, kind: PairKind | None) -> None:
    _, draft, left, right = subgraphs(body)
    profiles = {b: profile(draft, b, Latencies()) for one in (*left, *right) for b in one.blocks}
    pair = meldable_pair(draft, left[0], right[0], profiles)
    assert (None if pair is None else pair.kind) is kind


def test_definition_6_blocks_of_one_shape_correspond_in_the_order_of_their_edges() -> None:
    named, draft, left, right = subgraphs(IF_THEN)
    pairs = corresponding_blocks(draft, left[0], right[0])
    assert pairs is not None
    expected = [("left", "right"), ("left_work", "right_work")]
    assert {(named.block(one), named.block(other)) for one, other in expected} <= set(pairs)
    turned = IF_THEN.replace("branch %d, right_work, right_join", "branch %d, right_join, right_work")
    _, draft, left, right = subgraphs(turned)
    assert corresponding_blocks(draft, left[0], right[0]) is None


def test_definition_7_an_alignment_keeps_both_orders_and_takes_the_most_profitable_pairs() -> None:
    other_then = THREE_PIECES.replace("%ms: s32 = add %mv, %n", "%ms: s32 = xor %mv, %n")
    _, draft, left, right = subgraphs(other_then.replace("%ls: s32 = add %lv, %n", "%ls: s32 = mul %lv, %n"))
    pairs = aligned_subgraphs(draft, left, right, MeldSettings())
    assert [pair.kind for pair in pairs] == [PairKind.BLOCK_BLOCK]
    assert pairs[0].left is left[1], "two blocks alike are worth more than a block in a region"
    order = align(range(3), range(3), lambda one, other: [[1, 9, 0], [9, 1, 0], [0, 0, 5]][one][other], 0)
    assert order.pairs in (((0, 1), (2, 2)), ((1, 0), (2, 2)))


FIG_5 = """
    branch %c, left_1, right_1
  left_1: %u: s32 = load %a
    %v: s32 = mul %u, %n
    store %a, %v
    jump left_2
  left_2: branch %d, left_3, left_4
  left_3: store %a, %n
    jump left_4
  left_4: jump exit
  right_1: %defined: s32 = load %a
    %w: s32 = mul %defined, %i
    store %a, %w
    jump right_2
  right_2: branch %d, right_3, right_4
  right_3: store %a, %i
    jump right_4
  right_4: %used: s32 = add %defined, %one
    store %a, %used
    jump exit
  exit: return
"""


def test_figure_5_a_definition_of_one_arm_reaches_its_use_through_a_phi_that_is_undefined_for_the_other() -> None:
    named, draft = draft_of_text(FIG_5)
    entry, first, last = (draft.blocks[named.block(name)] for name in ("left_1", "right_1", "right_4"))
    # The two subgraphs melded naively: both arms run through one block between the definition and its use.
    meeting = draft.block(entry.terminator, 1)
    for block in (entry, first):
        block.terminator = Jump(type(named.block("exit"))(meeting), block.terminator.span)
    draft.blocks[meeting].terminator = Jump(named.block("right_2"), entry.terminator.span)
    draft.drop_unreachable()
    assert verify(draft.copy().finish()[0]), "the definition dominates its use no more"
    repair_dominance(draft)
    (phi,) = draft.blocks[meeting].phis
    assert phi.incoming[named.block("right_1")] == named.values["defined"]
    undefined = [step.instruction.result for step in draft.blocks[0].steps if isinstance(step.instruction, Undefined)]
    assert phi.incoming[named.block("left_1")] in undefined
    assert last.steps[0].instruction.operands[0] == phi.result
    assert verify(draft.finish()[0]) == ()


def test_figure_5_melds_whole() -> None:
    result = meld_function(text(FIG_5).function, MeldSettings(MeldMethod.DARM, threshold=0.1))
    assert result.melded
    assert verify(result.function) == ()
