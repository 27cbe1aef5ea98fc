"""A rule is complete or refused: registered, documented, severe, tested; its examples are true and its page current."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import analysis.rules
from analysis.rules.documentation import rule_documentation, rule_pages
from analysis.rules.host_subject import OfHostCode, OfLaunches
from analysis.rules.registry import RULES
from analysis.rules.rule import Finding, OfDeviceCode
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture, claimed_reports

ROOT = Path(__file__).parent.parent.parent
SECTIONS = ("What it does", "Why is this bad?", "Example", "Use instead", "Known noise")

rules = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def examples(rule: type[Finding], section: str | None = None) -> list[str]:
    """The CUDA blocks of a rule's documentation, or of one section of it."""
    text = rule_documentation(rule)
    if section is not None:
        text = re.split(rf"^## {re.escape(section)}$", text, flags=re.MULTILINE)[1].split("\n## ")[0]
    return re.findall(r"^```cuda\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def classes_that_look_like_rules() -> set[type]:
    found: set[type] = set()
    for module in iter_modules(analysis.rules.__path__):
        members = vars(import_module(f"analysis.rules.{module.name}")).values()
        found |= {
            member for member in members if isinstance(member, type) and isinstance(vars(member).get("code"), str)
        }
    return found


def test_every_rule_is_registered() -> None:
    assert classes_that_look_like_rules() == set(RULES)


def test_every_rule_is_asked_about_something() -> None:
    assert all(issubclass(rule, (OfDeviceCode, OfHostCode, OfLaunches)) for rule in RULES)


def test_codes_and_slugs_are_unique_and_well_formed() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.slug for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"[A-Z]{3}\d{3}", rule.code), rule
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.slug), rule


@rules
def test_a_rule_has_every_section(rule: type[Finding]) -> None:
    found = re.findall(r"^## (.*)$", rule_documentation(rule), flags=re.MULTILINE)
    assert found == list(SECTIONS)


@rules
def test_a_rule_has_an_example_of_itself_and_a_way_out(rule: type[Finding]) -> None:
    wrong = examples(rule, "Example")
    right = examples(rule, "Use instead")
    assert wrong
    assert all(rule.slug in {slug for _, slug in claimed_reports(text)} for text in wrong)
    assert right
    assert all(rule.slug not in {slug for _, slug in claimed_reports(text)} for text in right)


@rules
def test_the_examples_are_true(rule: type[Finding]) -> None:
    for example in examples(rule):
        check_fixture(example, RuleSettings())


@rules
def test_a_rule_has_its_own_tests(rule: type[Finding]) -> None:
    module = rule.__module__.rpartition(".")[2]
    tests = (Path(__file__).parent / f"test_{module}.py").read_text(encoding="utf-8")
    assert f"//~ {rule.slug}" in tests
    assert "def test_" in tests


def test_the_pages_are_current() -> None:
    folder = ROOT / "docs" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert written == dict(rule_pages()), "run: python docs/rules/regenerate.py"
