"""What the package says of itself: versions, least versions of what it needs, and what a wheel holds."""

import os
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import tsa

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NEEDED = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
# Versions in which known advisories are fixed.
FIXED = {"pillow": "12.3", "starlette": "1.5.1", "python-multipart": "0.0.27"}


def least(requirement):
    (bound,) = (spec.version for spec in requirement.specifier if spec.operator == ">=")
    return Version(bound)


@pytest.mark.parametrize("requirement", NEEDED, ids=lambda requirement: requirement.name)
def test_least_versions_are_what_is_installed(requirement):
    """In the minimum set, installed with `TSA_MINIMUM=1`, they are the very versions; elsewhere those or newer ones."""
    installed = Version(version(requirement.name))
    assert installed >= least(requirement)
    if os.environ.get("TSA_MINIMUM"):
        assert installed.release[:2] == least(requirement).release[:2]


def test_least_versions_exclude_known_advisories():
    bounds = {requirement.name: least(requirement) for requirement in NEEDED}
    assert {name: bounds[name] >= Version(fixed) for name, fixed in FIXED.items()} == dict.fromkeys(FIXED, True)


def test_one_version_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search("^version: (.*)$", citation, re.MULTILINE)[1] == tsa.__version__
    assert f"## {tsa.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "tsa/__init__.py"


def test_a_wheel_holds_what_the_programs_read_and_no_pictures_of_the_readme():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for source, target in included.items():
        assert (ROOT / source).exists()
        assert target == f"tsa/{source}"
    pictures = set(re.findall(r"\]\((assets/[^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert pictures
    assert not pictures & set(included)
    asked = r"assets\(\"\"\) / \"([^\"]+)\""
    sources = [
        path.read_text(encoding="utf-8") for package in ("tsa", "explorer") for path in (ROOT / package).rglob("*.py")
    ]
    read = {f"assets/{name}" for text in sources for name in re.findall(asked, text)}
    assert read | {"assets/models", "README.md"} == set(included)


@pytest.mark.parametrize("package", ["tsa", "explorer"])
def test_types_are_for_others_too(package):
    assert (ROOT / package / "py.typed").exists()
