"""The end of what a unit declares: scopes, classes, functions and templates know each other, so none goes by itself."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.ir.pace import paced
from analysis.lower.names import FunctionDeclaration, Record, Scope, TypeTemplateDeclaration


def forget_names(
    scopes: Iterable[Scope | None],
    records: Iterable[Record],
    declarations: Iterable[FunctionDeclaration | None],
    templates: Iterable[TypeTemplateDeclaration | None],
) -> None:
    """Takes all cycles apart: reference counts do the rest.  Nobody may ask for a name again.  Others have turns."""
    for scope in paced(scopes):
        if scope is not None:
            _close(scope)
    for record in paced(records, 5):
        _close(record.scope)
        for methods in paced(record.methods.values(), 5):
            for method in methods:
                _forget_instances(method)
        record.methods.clear()
    for declaration in paced(declarations, 2):
        if declaration is not None:
            _forget_instances(declaration)
    for template in paced(templates):
        if template is not None:
            _close(template.scope)


def _forget_instances(declaration: FunctionDeclaration) -> None:
    for instance in (*declaration.instances.values(), *declaration.for_groups.values()):
        _close(instance.scope)
    declaration.instances.clear()
    declaration.for_groups.clear()
    _close(declaration.scope)


def _close(scope: Scope) -> None:
    scope.names.clear()
    scope.resolver = None
