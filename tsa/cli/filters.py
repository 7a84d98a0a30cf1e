"""`tsa subset`, `tsa compare`: from any filters to a model, and several sets side by side."""

import argparse
import html
import json
from collections.abc import Sequence
from pathlib import Path

from tsa import files
from tsa._base import Bar
from tsa.analysis import SetComparison, compare_sets, cost_of, orthonormal_subset, refined_span
from tsa.cli._arguments import (
    GROUPS,
    add_channel,
    add_json,
    add_model,
    add_table_out,
    ending,
    open_set,
    print_json,
    shape,
    to_standard_output,
    write,
)
from tsa.files import OpenedFilters
from tsa.stage import table_csv

_SHOWN_ROWS = 20
TABLES = (".html", ".csv", ".json")


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands `subset` and `compare`."""
    command = commands.add_parser(
        "subset",
        help="a model from any filters: their best orthonormal subset, or the refinement of their span",
        epilog="example: tsa subset network.pt --array conv1.weight --out model.npz",
    )
    add_model(command)
    add_channel(command)
    command.add_argument("--out", type=Path, required=True, help="model file to write")
    command.add_argument("--count", type=int, help="at most so many planes and lines")
    command.add_argument(
        "--min-purity", type=float, default=0.6, help="of a filter, relative to what pixels allow (0.6)"
    )
    command.add_argument("--refine", action="store_true", help="the irreducible refinement of the span instead")
    add_json(command)
    command.set_defaults(run=_subset)

    command = commands.add_parser(
        "compare",
        help="one table for several models or sets of filters",
        epilog="example: tsa compare rotation-16 mine.npz theirs.npy --out table.html",
    )
    command.add_argument("models", nargs="+", metavar="model", help="bundled names or files")
    command.add_argument("--group", choices=GROUPS, help="the group of all of them, if the files do not say")
    command.add_argument("--patch", type=shape, help="the shape of their patches, like 12x20")
    command.add_argument("--array", help="the array with the filters, if a file has several")
    add_channel(command)
    add_table_out(command, TABLES, "table to write")
    add_json(command)
    command.set_defaults(run=_compare)


def print_report(opened: OpenedFilters, options: argparse.Namespace) -> None:
    """Print the report on a set of filters, and write the table of its filters."""
    report = opened.report
    table = report.table()
    if options.json:
        summary = {name: value for name, (value, _) in report.summary().items()}
        print_json({"patches": report.action.shape, "array": opened.array, **summary, "table": table})
    elif options.out is None or not to_standard_output(options.out):
        _print_summary(opened)
    if options.out is not None:
        cells = [vars(cell) | {"hole": cell.hole} for cell in report.cells]
        write_tables(options, {f"{len(table)} filters": table, "Weights and orders": cells})


def _print_summary(opened: OpenedFilters) -> None:
    report = opened.report
    rows: dict[str, str | float] = {"patches": f"{'×'.join(map(str, report.action.shape))} pixels, {report.action}"}
    if len(opened.arrays) > 1:
        rows["array"] = f"{opened.array}; the file has {', '.join(opened.arrays)}"
    for name, (value, meaning) in report.summary().items():
        rows[name] = f"{value if isinstance(value, str) else f'{value:<9.4g}'}  {meaning}"
    if opened.note:
        rows["as read"] = opened.note
    for name, text in rows.items():
        print(f"{name:>26}  {text}")


def write_tables(options: argparse.Namespace, tables: dict[str, list[dict[str, object]]]) -> None:
    """Write tables by title as HTML or JSON, or the first of them as CSV."""
    path, form = options.out, ending(options, TABLES)
    kept = {title: rows for title, rows in tables.items() if rows}
    first = next(iter(kept.values()))
    if form == ".csv":
        write(path, table_csv(first[0], (row.values() for row in first)))
    elif form == ".json":
        write(path, json.dumps(kept, indent=1))
    else:
        write(path, _page(kept))


def _subset(options: argparse.Namespace) -> None:
    opened = open_set(options.model, options)
    if options.refine:
        made = refined_span(opened.report, on_progress=Bar("refining"))
    else:
        made = orthonormal_subset(opened.report, options.count, min_purity=options.min_purity)
    cost = cost_of(made, on_progress=Bar("measuring"))
    if not options.json:
        print("\n".join([made.summary(), *cost.sentences()]))
    group = "rotation" if "rotation" in opened.report.action.words else "shift"
    about = {"group": group, "made from": f"{len(opened.report.purity)} filters, array {opened.array}"}
    files.save(made.model, options.out, opened.report.action.shape, about)
    if options.json:
        print_json({"file": str(options.out), "irreps": str(made.model.irreps), "chosen": made.chosen} | vars(cost))
    else:
        print(f"{options.out}: {made.model.irreps}")


def _compare(options: argparse.Namespace) -> None:
    reports = {}
    for name in options.models:
        stem, number = Path(name).stem or name, 2
        while stem in reports:
            stem, number = f"{Path(name).stem} ({number})", number + 1
        reports[stem] = open_set(name, options).report
    compared = compare_sets(reports)
    table, rows = compared.table(), compared.weights_table()
    if options.json:
        print_json({"sets": table, "weights": rows, "trouble": compared.trouble})
    elif options.out is None or not to_standard_output(options.out):
        _print_comparison(compared, list(reports))
    if options.out is not None:
        write_tables(options, {"Sets of filters": table, "Weight by weight": rows})


def _print_comparison(compared: SetComparison, reports: Sequence[str]) -> None:
    table = compared.table()
    width = max(map(len, reports)) + 2
    for quantity in list(table[0])[1:]:
        print(f"{quantity:>22}  " + "".join(f"{_text(row[quantity]):<{max(width, 26)}}" for row in table))
    if compared.trouble:
        print(compared.trouble)
    if compared.weights:
        print("dimensions of pure filters, and how many of them are in the first:")
    for shared in compared.weights[:_SHOWN_ROWS]:
        sizes = [
            f"{d} ({c:.1f})" if i else f"{d}"
            for i, (d, c) in enumerate(zip(shared.dimensions, shared.common, strict=True))
        ]
        print(f"{f'weight {shared.weight}':>22}  " + "".join(f"{size:<{max(width, 26)}}" for size in sizes))
    if len(compared.weights) > _SHOWN_ROWS:
        print(f"… and {len(compared.weights) - _SHOWN_ROWS} more weights; --out writes all.")


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


_STYLE = (
    "body{font:14px system-ui;margin:2em}table{border-collapse:collapse;margin:1em 0}"
    "td,th{border-bottom:1px solid #ccc;padding:4px 10px;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
)


def _page(tables: dict[str, list[dict[str, object]]]) -> str:
    """Tables by title as one page of HTML."""

    def row(cells: Sequence[object], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(_text(cell))}</{kind}>" for cell in cells) + "</tr>"

    parts = []
    for title, rows in tables.items():
        body = "".join(row(list(one.values()), "td") for one in rows)
        parts.append(f"<h2>{html.escape(title)}</h2><table>{row(list(rows[0]), 'th')}{body}</table>")
    return f"<!doctype html><meta charset='utf-8'><title>Filters</title><style>{_STYLE}</style>{''.join(parts)}"
