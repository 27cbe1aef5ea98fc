"""The walkthrough: each button does what its step promises, also before anything is open."""

from __future__ import annotations

from tests.editors.vscode.window import Window, wait_until

EXAMPLE_TAB = "Three branches"
MELD_TAB = "Both arms"


def test_every_button_of_the_walkthrough_leads_somewhere(window: Window) -> None:
    _open_walkthrough(window)
    _press(window, "Ask why", "Explain Divergence Here")
    wait_until(lambda: window.notifications() == ["Open a CUDA file first."], lambda: f"{window.notifications()}")
    window.picture("nothing-is-open")
    window.press_button("Open Example Kernel")
    window.sees(".codelens-decoration", "Simulate")
    wait_until(lambda: window.cursor() == (19, 9), lambda: f"nothing to explain there: {window.cursor()}")

    for step, button, shown in (
        ("Ask why", "Explain Divergence Here", "data-dependent"),
        ("Simulate it", "Simulate Kernel", "SIMD efficiency"),
        ("Look at the control flow", "Show Control-Flow Graph", "blocks divergent"),
    ):
        _open_walkthrough(window)
        _press(window, step, button)
        window.panel(shown)
        window.picture(button.partition(" ")[0].lower())

    _open_walkthrough(window)
    _press(window, "Meld two arms", "Open Two Arms")
    window.sees(".tab.active", MELD_TAB)
    window.wait_for("return vscode.window.activeTextEditor !== undefined")  # the tab is there before its editor
    wait_until(lambda: window.cursor() == (7, 3), lambda: f"not at the branch that can be melded: {window.cursor()}")
    _open_walkthrough(window)
    window.picture("melding")
    _press(window, "Meld two arms", "Preview Melding")
    window.sees(".tabs-container .tab", "fewer issued instructions, checked on", seconds=60)
    window.picture("meld")
    window.ask("await vscode.commands.executeCommand('notifications.clearAll')")

    _open_walkthrough(window)
    _press(window, "Open a kernel", "Open an Example")
    window.sees(".tab.active", EXAMPLE_TAB)
    assert window.page.locator(".tab", has_text=EXAMPLE_TAB).count() == 1, "the example that is open already"
    assert window.notifications() == []


def _open_walkthrough(window: Window) -> None:
    window.ask("await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'simt-lsp.simt-lsp#start')")
    window.sees(".getting-started-step", "Open a kernel")


def _press(window: Window, step: str, button: str) -> None:
    whole = window.page.locator(".getting-started-step", has_text=step).first
    whole.click()
    whole.locator(".monaco-button", has_text=button).first.click()
