"""ES modules joined into one script, run by Node as the browser would run them."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import explorer.components
import tsa
from tsa.stage import BROWSER
from tsa.stage.browser import JoinError, join
from tsa.stage.draw import hue

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture
def write(tmp_path):
    """Write modules; each may stand in a folder of its own."""

    def write(**modules):
        for name, text in modules.items():
            path = tmp_path / f"{name.replace('__', '/')}.js"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def run(script):
    """What `main()` of a joined script returns."""
    command = ["node", "--input-type=module", "--eval", f"{script}console.log(JSON.stringify(main()));"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@needs_node
def test_equal_names_in_two_modules_do_not_collide(write):
    folder = write(
        entry='import { left } from "./left.js";\nimport { right } from "./parts/right.js";\n'
        "const value = 3;\nexport default function () {\n  return [left(), right(), value];\n}\n",
        left="const value = 1;\nexport function left() {\n  return value;\n}\n",
        parts__right='import { left as other } from "../left.js";\nconst value = 2;\n'
        "export const right = () => value + 10 * other();\n",
    )
    assert run(join(folder / "entry.js", [folder])) == [1, 12, 3]


@needs_node
def test_a_module_imported_twice_is_evaluated_once(write):
    folder = write(
        count="export const calls = [];\ncalls.push(1);\n",
        one='import { calls } from "./count.js";\nexport const one = () => calls;\n',
        entry='import { calls } from "./count.js";\nimport { one } from "./one.js";\n'
        "export default function () {\n  return [calls.length, one() === calls];\n}\n",
    )
    assert run(join(folder / "entry.js", [folder])) == [1, True]


@needs_node
def test_every_form_of_export(write):
    folder = write(
        forms="export const a = 1;\nexport function b() {\n  return 2;\n}\nexport function* c() {\n  yield 3;\n}\n"
        "export async function d() {}\nexport class E {}\n",
        entry='import {\n  a,\n  b,\n  c,\n  d,\n  E,\n} from "./forms.js";\n'
        "export default function named() {\n  return [a, b(), ...c(), typeof d, typeof E, named.name];\n}\n",
    )
    assert run(join(folder / "entry.js", [folder])) == [1, 2, 3, "function", "function", "named"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('import { a } from "./gone.js";', ["entry.js", "./gone.js", "no such file"]),
        ('import { a } from "../../outside.js";', ["entry.js", "outside"]),
        ('import { a } from "react";', ["entry.js", "react", "not a relative path"]),
        ('import { b } from "./other.js";', ["entry.js", "./other.js", "does not export b"]),
        ('import * as other from "./other.js";', ["entry.js", "import * as other"]),
        ("export let a = 1;", ["entry.js", "export let"]),
        ("", ["entry.js", "no default export"]),
        ('import { a } from "./cycle.js";', ["cycle.js → entry.js → cycle.js"]),
    ],
)
def test_an_error_names_file_and_import(entry, words, write):
    folder = write(
        other="export const a = 1;\n",
        cycle='import { main } from "./entry.js";\nexport const a = 1;\n',
        entry=f"{entry}\nexport const main = 1;\n",
    )
    with pytest.raises(JoinError) as error:
        join(folder / ("cycle.js" if "cycle" in entry else "entry.js"), [folder])
    for word in words:
        assert word in str(error.value)
    assert isinstance(error.value, tsa.TSAError)


@needs_node
def test_the_colour_wheel_is_pythons(write):
    colour = (BROWSER / "shared" / "colour.js").read_text(encoding="utf-8")
    entry = 'import { WHEEL } from "./colour.js";\nexport default function () {\n  return WHEEL;\n}\n'
    folder = write(colour=colour, entry=entry)
    assert run(join(folder / "entry.js", [folder])) == [list(hue(np.radians(d))[:3]) for d in range(360)]


@needs_node
def test_every_component_joins_to_a_script_that_node_parses():
    components = BROWSER.parents[2] / "explorer" / "components"
    entries = [BROWSER / "lab" / "stage.js", *(p for p in components.glob("*/*.js") if p.stem == p.parent.name)]
    assert len(entries) == 11
    for entry in entries:
        script = join(entry, explorer.components.SCRIPT_FOLDERS) + "export default main;\n"
        subprocess.run(["node", "--input-type=module", "--check"], input=script, text=True, check=True)
