"""Bar charts as SVG text: horizontal bars in panels, readable on light and dark pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH = 760
LABEL_WIDTH = 250
BAR_WIDTH = 400
ROW = 22
BAR = 14
PANEL_GAP = 30
GROUP_GAP = 8
MARGIN = 20
STYLE = """
text { font: 14px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 15px; }
.minor { fill: #59636e; }
.page { fill: #ffffff; stroke: #d1d9e0; }
.main { fill: #0969da; }
.other { fill: #8c959f; }
.mark { stroke: #bc4c00; stroke-width: 3; }
.edge { stroke: #ffffff; stroke-width: 5; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .minor { fill: #9198a1; }
  .page { fill: #0d1117; stroke: #3d444d; }
  .main { fill: #4493f8; }
  .other { fill: #7d8590; }
  .mark { stroke: #f0883e; }
  .edge { stroke: #0d1117; }
}
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its name; a value to compare with is drawn as a mark across the bar."""

    label: str
    value: float
    text: str
    is_main: bool = True
    mark: float | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """Groups of bars on one scale, which starts at zero."""

    title: str
    note: str
    groups: Sequence[Sequence[Bar]]
    maximum: float | None = None


def svg(title: str, panels: Sequence[Panel]) -> str:
    """Return panels below each other as one SVG document."""
    parts: list[str] = []
    top = MARGIN
    for panel in panels:
        lines, top = _panel(panel, top)
        parts += lines
        top += PANEL_GAP
    height = top - PANEL_GAP + MARGIN - GROUP_GAP
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    page = f'x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" {page}/>',
    ]
    return "\n".join([*head, *parts, "</svg>\n"])


def _panel(panel: Panel, top: int) -> tuple[list[str], int]:
    """Return the elements of a panel, and the y below it."""
    bars = [bar for group in panel.groups for bar in group]
    maximum = panel.maximum or max(max(bar.value, bar.mark or 0) for bar in bars)
    lines = [_text(MARGIN, top + 14, panel.title, "title")]
    lines.append(_text(MARGIN, top + 33, panel.note, "minor"))
    top += 46
    for group in panel.groups:
        for bar in group:
            lines += _bar(bar, top, BAR_WIDTH / maximum)
            top += ROW
        top += GROUP_GAP if len(group) > 1 else 0
    return lines, top


def _bar(bar: Bar, top: int, scale: float) -> list[str]:
    middle = top + ROW // 2
    width = max(1, round(bar.value * scale, 1))
    box = f'x="{LABEL_WIDTH}" y="{middle - BAR // 2}" width="{width:g}" height="{BAR}" rx="2"'
    label_class, bar_class = ("", "main") if bar.is_main else ("minor", "other")
    lines = [
        _text(LABEL_WIDTH - 10, middle + 5, bar.label, label_class, "end"),
        f'<rect class="{bar_class}" {box}/>',
    ]
    end = LABEL_WIDTH + width
    if bar.mark is not None:
        x = LABEL_WIDTH + round(bar.mark * scale, 1)
        line = f'x1="{x:g}" x2="{x:g}" y1="{middle - 10}" y2="{middle + 10}"'
        lines += [f'<line class="{name}" {line}/>' for name in ("edge", "mark")]
        end = max(end, x)
    lines.append(_text(end + 8, middle + 5, bar.text, ""))
    return lines


def _text(x: float, y: int, text: str, kind: str, anchor: str = "start") -> str:
    classes = f' class="{kind}"' if kind else ""
    return f'<text{classes} x="{x:g}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
