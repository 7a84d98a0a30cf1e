"""Warnings that strangers cause do not fill the log."""

from explorer.app import ThrottledLog


def test_a_flood_is_one_line_and_a_count():
    lines, now = [], [0.0]
    log = ThrottledLog(lines.append, lambda: now[0])
    for _ in range(1000):
        log.warn("Refused", "x" * 500)
    log.warn("Closed", "y")
    now[0] = 10.0
    log.warn("Refused", "z")
    assert lines == ["Refused: " + "x" * 200, "Closed: y", "Refused: z (999 more were not logged)"]
