"""The cursor on a hint: the melding is looked at, applied, undone, applied again, and simulated."""

from __future__ import annotations

import json

from tests.editors.meldable import ALIKE, LINE, MELDED, NAME, NEVER
from tests.editors.vscode.window import Window
from tests.support.seldom import REASON, SELDOM

TEXT = f"return vscode.workspace.textDocuments.find((one) => one.uri.path.endsWith('/{NAME}')).getText()"


def opened(window: Window, text: str = ALIKE) -> None:
    (window.folder / NAME).write_text(text)
    window.open(NAME)
    shows(window, text)
    window.wait_for_codes(NAME, lambda codes: "DIV403" in codes)
    window.at(next(number for number, line in enumerate(text.splitlines(), 1) if "if (" in line), 3)


def choose(window: Window, title: str) -> None:
    row = window.offered(title)
    window.picture(f"offered-{title[:7].strip().lower()}")
    row.click()


def shows(window: Window, text: str) -> None:
    window.wait_for(f"{TEXT} === {json.dumps(text)}", seconds=60)


def test_a_melding_is_applied_undone_applied_again_and_simulated(window: Window) -> None:
    opened(window)
    choose(window, "Meld divergent arms")
    shows(window, MELDED)
    window.wait_for_codes(NAME, lambda codes: "DIV403" not in codes)
    window.picture("applied")
    window.ask("await vscode.commands.executeCommand('undo')")
    shows(window, ALIKE)
    window.wait_for_codes(NAME, lambda codes: "DIV403" in codes)
    window.at(LINE, 3)
    choose(window, "fewer issued instructions, checked on")
    shows(window, MELDED)
    window.command("SIMT: Simulate Kernel")
    window.panel("SIMD efficiency")
    window.picture("simulated")


def test_the_preview_shows_both_texts_and_applies(window: Window) -> None:
    opened(window)
    window.command("SIMT: Preview Melding")
    window.sees(".monaco-diff-editor .modified-in-monaco-diff-editor", "is_even", seconds=60)
    window.sees(".tabs-container .tab", "fewer issued instructions, checked on")
    window.sees(".notification-toast", "Apply")
    window.picture("preview")
    assert window.ask(TEXT) == ALIKE
    window.page.locator(".notification-toast .monaco-button", has_text="Apply").first.click()
    shows(window, MELDED)
    window.picture("applied")


def test_the_preview_of_a_text_that_changed_is_not_applied(window: Window) -> None:
    opened(window)
    choose(window, "Preview the melding")
    window.sees(".notification-toast", "Apply", seconds=60)
    changed = "// above\n" + ALIKE
    window.ask(
        f"const document = vscode.workspace.textDocuments.find((one) => one.uri.path.endsWith('/{NAME}'));"
        "const edit = new vscode.WorkspaceEdit();"
        "edit.insert(document.uri, new vscode.Position(0, 0), '// above\\n');"
        "await vscode.workspace.applyEdit(edit)"
    )
    window.page.locator(".notification-toast .monaco-button", has_text="Apply").first.click()
    window.sees(".notification-toast", "The text changed after it was melded.")
    assert window.ask(TEXT) == changed


def test_what_a_run_refutes_is_not_applied_and_the_reason_is_shown(window: Window) -> None:
    opened(window, SELDOM)
    choose(window, "Meld divergent arms")
    window.sees(".notification-toast", f"Not melded: {REASON}", seconds=60)
    window.picture("refuted")
    assert window.ask(TEXT) == SELDOM
    window.ask("await vscode.commands.executeCommand('notifications.clearAll')")
    window.command("Refactor...")
    window.sees(".action-widget .monaco-list-row.option-disabled", "Meld divergent arms")
    window.picture("disabled")
    window.page.keyboard.press("Escape")
    window.command("SIMT: Preview Melding")
    window.sees(".notification-toast", f"(refuted: {REASON})")
    assert window.page.locator(".notification-toast .monaco-button", has_text="Apply").count() == 0
    window.picture("preview")
    window.ask("await vscode.commands.executeCommand('simt-lsp.meldApply')")
    window.sees(".notification-toast", f"Not melded: {REASON}.")
    assert window.ask(TEXT) == SELDOM


def test_what_was_not_checked_is_applied_after_a_question(window: Window) -> None:
    opened(window, NEVER)
    choose(window, "Meld divergent arms")
    window.sees(".notification-toast", "The melding was not checked: no input splits a warp at this branch", seconds=60)
    window.picture("question")
    assert window.ask(TEXT) == NEVER
    window.press_button("Meld Unchecked")
    window.wait_for(f"{TEXT}.includes('else') ? 0 : 1", seconds=60)
    window.picture("applied")
