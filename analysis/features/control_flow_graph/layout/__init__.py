"""Layered drawing of a directed graph: ranks, order within ranks, coordinates, routes; knows nothing of programs.

No library draws layers in pure Python with boxes of different sizes at a small cost (grandalf is unmaintained and under
the GPL), so each step is a file here.

Source  Sugiyama, Tagawa, Toda: Methods for Visual Understanding of Hierarchical System Structures (1981).
"""
