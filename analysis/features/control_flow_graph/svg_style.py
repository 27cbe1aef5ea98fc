"""The look of the SVG: colours for light and dark pages, metrics of its one font."""

from __future__ import annotations

from typing import Final

CHARACTER: Final = 7.25
"""Width of one column; the widest of the fonts named below needs 7.23 at 12 px."""
LINE_HEIGHT: Final = 17.0

_LIGHT: Final = """
  --page: var(--vscode-editor-background, #ffffff); --ink: #1f2430; --quiet: #6b7280; --line: #8a93a3; --edge: #4b5563;
  --even: #f6f8fb; --warps: #dde4ee; --split: #363c4d; --split-ink: #f4f5f8; --split-quiet: #aab2c3;
  --split-line: #1d212c; --varying: #c2410c; --split-varying: #ffb074; --back: #2563eb; --depends: #a16207;
  --melded: #c9efd8; --melded-line: #15803d;
  --good: #15803d; --bad: #dc2626; --open: #b45309;
  --split-good: #7ee2a0; --split-bad: #ff9a9a; --split-open: #ffd27a;
"""
_DARK: Final = """
  --page: var(--vscode-editor-background, #16191f); --ink: #f3f5f7; --quiet: #7e8a9c; --line: #5f6777; --edge: #a1abbb;
  --even: #1e222a; --warps: #272d38; --split: #07090d; --split-ink: #aeb9ce; --split-quiet: #778397;
  --split-line: #c77f3f; --varying: #eb6500; --split-varying: #ec6600; --back: #3e88ff; --depends: #aa8121;
  --melded: #14532d; --melded-line: #4ade80;
  --good: #24a04e; --bad: #ff3d3d; --open: #bf7e00;
  --split-good: #27af55; --split-bad: #ff2f2f; --split-open: #dc9200;
"""
_THEMES: Final = f"""
:root {{ color-scheme: light dark; }}
svg.cfg {{{_LIGHT}}}
@media (prefers-color-scheme: dark) {{
svg.cfg {{{_DARK}}}
}}
body.vscode-light svg.cfg, body.vscode-high-contrast-light svg.cfg {{{_LIGHT}}}
body.vscode-dark svg.cfg, body.vscode-high-contrast:not(.vscode-high-contrast-light) svg.cfg {{{_DARK}}}
"""
"""What the system says decides; inside of VS Code, the theme there."""

STYLE: Final = (
    _THEMES
    + """\
.cfg .page { fill: var(--page); }
.cfg text {
  font: 12px ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  fill: var(--ink); white-space: pre;
}
.cfg .title { font-weight: 600; font-size: 14px; }
.cfg .box { stroke: var(--line); fill: var(--even); }
.cfg .warps .box { fill: var(--warps); }
.cfg .split .box { fill: var(--split); stroke: var(--split-line); stroke-width: 1.5; }
.cfg .split text { fill: var(--split-ink); }
.cfg .melded .box { fill: var(--melded); stroke: var(--melded-line); stroke-width: 1.8; }
.cfg text.name, .cfg text.number, .cfg text.omitted, .cfg text.ending, .cfg text.call { fill: var(--quiet); }
.cfg text.name { font-weight: 600; }
.cfg text.call { font-style: italic; }
.cfg .split text.name, .cfg .split text.number, .cfg .split text.omitted, .cfg .split text.ending,
.cfg .split text.call { fill: var(--split-quiet); }
.cfg .rule { stroke: var(--line); stroke-opacity: 0.6; }
.cfg text.varying { fill: var(--varying); font-weight: 600; }
.cfg .split text.varying { fill: var(--split-varying); }
.cfg text.uniform.remark { fill: var(--quiet); }
.cfg .split text.uniform.remark { fill: var(--split-quiet); }
.cfg text.safe { fill: var(--good); }
.cfg text.unsafe { fill: var(--bad); font-weight: 600; }
.cfg text.unproven { fill: var(--open); }
.cfg .split text.safe { fill: var(--split-good, #7ee2a0); }
.cfg .split text.unsafe { fill: var(--split-bad, #ff9a9a); }
.cfg .split text.unproven { fill: var(--split-open, #ffd27a); }
.cfg .edge { fill: none; stroke: var(--edge); stroke-width: 1.3; }
.cfg .back { stroke: var(--back); stroke-width: 1.6; stroke-dasharray: 7 3; }
.cfg .depends { stroke: var(--depends); stroke-width: 1.4; stroke-dasharray: 0.1 4.5; stroke-linecap: round; }
.cfg .head { fill: var(--edge); }
.cfg .head.of-back { fill: var(--back); }
.cfg .head.of-depends { fill: var(--depends); }
.cfg text.label { font-size: 11px; fill: var(--quiet); }
"""
)
