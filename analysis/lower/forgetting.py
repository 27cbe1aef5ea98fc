"""The end of what a unit declares: scopes, classes, functions and templates know each other, so none goes by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis.lower.names import FunctionDeclaration, Record, Scope, TypeTemplateDeclaration


def forget_names(
    scopes: Iterable[Scope | None],
    records: Iterable[Record],
    declarations: Iterable[FunctionDeclaration | None],
    templates: Iterable[TypeTemplateDeclaration | None],
) -> Iterator[int]:
    """Takes all cycles apart: reference counts do the rest.  Nobody may ask for a name again.

    After each step it yields the rounds that the step took: who can let others have turns counts them.
    """
    for scope in scopes:
        if scope is not None:
            _close(scope)
        yield 1
    for record in records:
        _close(record.scope)
        for methods in record.methods.values():
            for method in methods:
                _forget_instances(method)
            yield 5
        record.methods.clear()
        yield 5
    for declaration in declarations:
        if declaration is not None:
            _forget_instances(declaration)
        yield 2
    for template in templates:
        if template is not None:
            _close(template.scope)
        yield 1


def _forget_instances(declaration: FunctionDeclaration) -> None:
    for instance in (*declaration.instances.values(), *declaration.for_calls.values()):
        _close(instance.scope)
    declaration.instances.clear()
    declaration.for_calls.clear()
    _close(declaration.scope)


def _close(scope: Scope) -> None:
    scope.names.clear()
    scope.resolver = None
