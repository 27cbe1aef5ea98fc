"""The outline."""

from __future__ import annotations

from analysis.features.symbols import SymbolNode, SymbolNodeKind, document_symbols
from tests.rules.fixture import analyze

TEXT = """__global__ void first(int n) {}
struct Rng {
  __device__ int next() { return 1; }
  __device__ int peek() { return 2; }
};
template <typename T>
__device__ T helper(T a) { return a; }
"""


def outline(nodes: tuple[SymbolNode, ...], depth: int = 0) -> list[str]:
    return [
        line
        for node in nodes
        for line in (f"{'  ' * depth}{node.name} ({node.kind.value})", *outline(node.children, depth + 1))
    ]


def test_functions_in_text_order_methods_below_their_record() -> None:
    assert outline(document_symbols(analyze(TEXT))) == [
        "first (kernel)",
        "Rng (scope)",
        "  next (device)",
        "  peek (device)",
        "helper (device)",
    ]


def test_ranges_enclose_names_and_children() -> None:
    def check(nodes: tuple[SymbolNode, ...]) -> None:
        for node in nodes:
            assert node.start <= node.name_start < node.name_end <= node.end
            if node.kind is not SymbolNodeKind.SCOPE:
                assert TEXT[node.name_start : node.name_end] == node.name
            assert all(node.start <= child.start and child.end <= node.end for child in node.children)
            check(node.children)

    nodes = document_symbols(analyze(TEXT))
    assert len(nodes) == 3
    check(nodes)


def test_a_function_that_is_not_compiled_says_so() -> None:
    (node,) = document_symbols(analyze("#if 0\n__global__ void k() {}\n#endif\n"))
    assert node.detail == "kernel, not compiled"
