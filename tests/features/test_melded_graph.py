"""The control flow before and after melding, as data and in each format."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from analysis.features.control_flow_graph.melded import MeldedGraphs, melded_graphs
from analysis.features.control_flow_graph.render import GraphFormat, render_melded
from analysis.meld.settings import DEFAULT_MELD_SETTINGS
from tests.rules.fixture import analyze

BITONIC = """\
__global__ void bitonic(int *values, int k, int j) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = i ^ j;
  if (other > i) {
    if ((i & k) == 0) {
      if (values[i] > values[other]) {
        int t = values[i];
        values[i] = values[other];
        values[other] = t;
      }
    } else {
      if (values[i] < values[other]) {
        int t = values[i];
        values[i] = values[other];
        values[other] = t;
      }
    }
  }
}
"""


def graphs_of(text: str) -> MeldedGraphs:
    analysis = analyze(text)
    found = melded_graphs(analysis, analysis.facts.functions[-1], DEFAULT_MELD_SETTINGS)
    assert found is not None
    return found


def test_both_arms_are_marked_before_and_what_they_became_after() -> None:
    graphs = graphs_of(BITONIC)
    assert graphs.melded == 1
    before = {line.number for node in graphs.before.nodes if node.melded for line in node.lines}
    before |= {node.decision.line.number for node in graphs.before.nodes if node.melded and node.decision is not None}
    assert before == {6, 7, 8, 9, 12, 13, 14, 15}
    marked = [sum(node.melded for node in graph.nodes) for graph in (graphs.before, graphs.after)]
    assert marked == [4, 2]
    assert len(graphs.after.nodes) < len(graphs.before.nodes)


def test_nothing_is_marked_where_nothing_is_melded() -> None:
    graphs = graphs_of("__global__ void k(int *x) { if (threadIdx.x % 2) x[0] = 1; else __syncthreads(); }\n")
    assert graphs.melded == 0
    assert graphs.before is graphs.after
    assert not any(node.melded for node in graphs.before.nodes)


def test_the_svg_has_two_panels_and_the_colour_in_its_legend() -> None:
    text = render_melded(graphs_of(BITONIC), GraphFormat.SVG)
    root = ElementTree.fromstring(text)
    words = ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "bitonic"
    assert [word for word in words if re.match(r"(before|after) melding: \d of \d blocks divergent", word)] != []
    assert words.count("melded") == 1
    assert text.count('<g class="node melded" transform') == 6


@pytest.mark.parametrize(("format", "mark"), [(GraphFormat.DOT, "#15803d"), (GraphFormat.MERMAID, ":::melded")])
def test_the_nodes_of_both_graphs_have_names_of_their_own(format: GraphFormat, mark: str) -> None:
    text = render_melded(graphs_of(BITONIC), format)
    assert sum(mark in line for line in text.splitlines() if "_B" in line) == 6
    defined = re.findall(r"^\s*(G\d_B\d+)\s?\[", text, re.MULTILINE)
    assert len(defined) == len(set(defined)) > 7
    assert text.index("before melding") < text.index("after melding")
