"""Draws the distribution of waiting times."""

from html import escape

WIDTH, PANEL, LEFT, BINS = 760, 190, 56, 40
INK, BAR, LINE = "#1f2933", "#3e7cb1", "#b42318"


def draw(series):
    """Returns an SVG with one histogram for each name and its times in seconds, all with the same scale of time."""
    longest = max((max(times) for _, times in series if times), default=1.0)
    limit = next(step for step in (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600) if step >= longest)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {PANEL * len(series) + 20}" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{WIDTH}" height="{PANEL * len(series) + 20}" fill="#ffffff"/>',
    ]
    for index, (name, times) in enumerate(series):
        parts += panel(name, times, limit, index * PANEL)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def panel(name, times, limit, top):
    """One histogram: how many syncs took how long, with the median and the worst one marked."""
    width, height, base = WIDTH - LEFT - 24, PANEL - 76, top + PANEL - 40
    counts = [0] * BINS
    for time in times:
        counts[min(BINS - 1, int(time / limit * BINS))] += 1
    tallest = max(counts) or 1
    median, worst = sorted(times)[len(times) // 2], max(times)
    yield f'<text x="{LEFT}" y="{top + 20}" font-weight="600">{escape(name)}</text>'
    yield (
        f'<text x="{WIDTH - 24}" y="{top + 20}" text-anchor="end">{len(times)} syncs, '
        f"median {median:.2f} s, worst {worst:.2f} s</text>"
    )
    for number, count in enumerate(counts):
        bar = height * count / tallest
        x = LEFT + width * number / BINS
        yield f'<rect x="{x:.1f}" y="{base - bar:.1f}" width="{width / BINS - 1:.1f}" height="{bar:.1f}" fill="{BAR}"/>'
    yield f'<line x1="{LEFT}" y1="{base}" x2="{LEFT + width}" y2="{base}" stroke="{INK}"/>'
    yield f'<text x="{LEFT - 8}" y="{base - height + 4}" text-anchor="end">{tallest}</text>'
    yield f'<text x="{LEFT - 8}" y="{base + 4}" text-anchor="end">0</text>'
    for tick in range(6):
        x = LEFT + width * tick / 5
        yield f'<text x="{x:.1f}" y="{base + 16}" text-anchor="middle">{limit * tick / 5:g} s</text>'
    for time in (median, worst):
        x = LEFT + width * time / limit
        yield f'<line x1="{x:.1f}" y1="{base - height}" x2="{x:.1f}" y2="{base}" stroke="{LINE}" stroke-dasharray="3 3"/>'
