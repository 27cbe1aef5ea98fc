"""One window of VS Code in a browser: what its user presses and sees, and what its extension host knows."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from tests.editors.downloads import CannotInstall
from tests.editors.folders import current_test, results_folder
from tests.editors.terminal import PATIENCE_SECONDS, wait_until
from tests.editors.vscode.server import CodeServer
from tests.presentation.browser import chromium_path

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Locator, Page

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZE: Final = (1440, 900)
_STILL_SECONDS: Final = 5.0
_numbers = itertools.count(1)


def require_chromium() -> str:
    """The path of the browser.  Raises `CannotInstall`."""
    path = chromium_path()
    if path is None:
        raise CannotInstall("there is no Chromium; first: apt-get install chromium")
    return path


@contextmanager
def chromium() -> Generator[Browser]:
    """Raises `CannotInstall` where there is none."""
    from playwright.sync_api import sync_playwright  # large, and only these tests need it

    path = require_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        yield browser
        browser.close()


@final
class Window:
    """A folder opened in a browser tab."""

    open_windows: ClassVar[list[Window]] = []

    def __init__(self, browser: Browser, server: CodeServer, folder: Path) -> None:
        self._context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]}, device_scale_factor=1)
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE_SECONDS)
        self._probe = server.probe_folder / folder.name
        self.folder = folder
        Window.open_windows.append(self)
        self.page.goto(server.address(folder))
        self.page.wait_for_selector(".monaco-workbench .statusbar", timeout=1000 * PATIENCE_SECONDS)
        wait_until(self._probe.is_dir, lambda: f"the extension host does not start:\n{server.log.read_text()}")

    def __enter__(self) -> Window:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.picture("failed")
        Window.open_windows.remove(self)
        self._context.close()

    def tidy(self) -> None:
        """Close everything without saving it."""
        self.page.keyboard.press("Escape")
        self.ask(
            "for (const group of vscode.window.tabGroups.all) for (const tab of group.tabs)"
            " if (tab.isDirty) {"
            "   await vscode.window.showTextDocument(tab.input.uri);"
            "   await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');"
            " }"
            "await vscode.commands.executeCommand('workbench.action.closeAllEditors');"
            "await vscode.commands.executeCommand('notifications.clearAll');"
        )

    # What the extension host knows

    def ask(self, code: str) -> Any:
        """What the body of an async JavaScript function with `vscode` returns."""
        number = next(_numbers)
        question, answer = self._probe / f"{number}.js", self._probe / f"{number}.json"
        unfinished = self._probe / f"{number}.unfinished"
        unfinished.write_text(code)
        unfinished.rename(question)
        wait_until(answer.exists, lambda: f"no answer to: {code}", PATIENCE_SECONDS)
        said = json.loads(answer.read_text())
        assert "error" not in said, f"{code}\n{said['error']}"
        return said["value"]

    def wait_for(self, code: str, fits: Callable[[Any], bool] = bool, seconds: float = PATIENCE_SECONDS) -> Any:
        """Until the answer fits; the answer."""
        answers: list[Any] = [None]

        def asked() -> bool:
            answers[0] = self.ask(code)
            return fits(answers[0])

        wait_until(asked, lambda: f"{code}\nstill is {answers[0]!r}", seconds)
        return answers[0]

    def open(self, name: str) -> None:
        """A file of the folder in an editor, as if it was clicked on."""
        self.ask(
            f"await vscode.window.showTextDocument(vscode.Uri.file({json.dumps(str(self.folder / name))}),"
            " { preview: false, viewColumn: 1 })"
        )

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """Sorted by place: code, source, severity, message and the line from 1."""
        return self.ask(
            f"return vscode.languages.getDiagnostics(vscode.Uri.file({json.dumps(str(self.folder / name))}))"
            ".map((d) => ({ code: d.code?.value ?? d.code, source: d.source, severity: d.severity,"
            " message: d.message, line: d.range.start.line + 1 })).sort((a, b) => a.line - b.line)"
        )

    def wait_for_codes(
        self, name: str, fits: Callable[[list[str]], bool], seconds: float = PATIENCE_SECONDS
    ) -> list[str]:
        codes: list[list[str]] = [[]]

        def asked() -> bool:
            codes[0] = [str(found["code"]) for found in self.diagnostics(name)]
            return fits(codes[0])

        wait_until(asked, lambda: f"diagnostics still are {codes[0]}", seconds)
        return codes[0]

    def at(self, line: int, column: int = 1) -> None:
        """The cursor; both count from 1.  Waits until the window has it: its extension host knows it earlier."""
        self.ask(
            "const editor = vscode.window.activeTextEditor;"
            f"const place = new vscode.Position({line - 1}, {column - 1});"
            "editor.selection = new vscode.Selection(place, place);"
            "editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);"
        )
        self.page.get_by_role("button", name=f"Ln {line}, Col {column}", exact=True).wait_for()

    def cursor(self) -> tuple[int, int]:
        """Line and column, from 1."""
        line, column = self.ask(
            "const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];"
            "return [editor.selection.active.line, editor.selection.active.character];"
        )
        return line + 1, column + 1

    def set_setting(self, name: str, value: Any) -> None:
        """A setting of the user's; None takes it back."""
        text = "undefined" if value is None else json.dumps(value)
        self.ask(f"await vscode.workspace.getConfiguration().update({json.dumps(name)}, {text}, 1)")

    # What the user presses and sees

    def command(self, title: str) -> None:
        """Typed into the command palette."""
        self.page.keyboard.press("F1")
        box = self.page.locator(".quick-input-widget input").first
        box.wait_for(state="visible")
        box.fill(f">{title}")
        self.page.locator(".quick-input-list .monaco-list-row.focused", has_text=title).wait_for()
        self.page.keyboard.press("Enter")

    def panel(self, text: str, seconds: float = PATIENCE_SECONDS) -> Frame:
        """The inside of the web view that shows a text; waits for it."""
        found: list[Frame] = []

        def there() -> bool:
            self.page.wait_for_timeout(50)  # Playwright hears of new frames only while it waits itself
            found[:] = [frame for frame in self._views() if text in _text(frame)]
            return bool(found)

        wait_until(there, lambda: f"no view shows {text!r}, but {[_text(view) for view in self._views()]}", seconds)
        return found[-1]

    def _views(self) -> list[Frame]:
        """VS Code puts each web view into a frame within a frame."""
        return [frame for frame in self.page.frames if frame.parent_frame not in (None, self.page.main_frame)]

    def sees(self, selector: str, text: str | None = None, seconds: float = PATIENCE_SECONDS) -> Locator:
        """Waits for an element, in view or not."""
        found = self.page.locator(selector, has_text=text).first
        found.wait_for(state="attached", timeout=1000 * seconds)
        return found

    def offered(self, title: str) -> Locator:
        """A code action at the cursor, in the menu that the keys open.

        A quarter of a second after the cursor moved VS Code asks for the light bulb, and drops a menu that was asked
        for and not yet answered: then the keys are pressed again, as a person does.
        """
        from playwright.sync_api import TimeoutError

        for _ in range(3):
            self.page.locator(".monaco-editor textarea, .native-edit-context").first.focus()
            self.page.keyboard.press("Control+.")
            with suppress(TimeoutError):
                self.sees(".action-widget", seconds=5)
                break
        return self.sees(".action-widget .monaco-list-row.action", title)

    def press_button(self, title: str) -> None:
        """Of a message or a dialog."""
        self.page.get_by_role("button", name=title, exact=True).first.click()

    def notifications(self) -> list[str]:
        """The messages on the screen."""
        return self.page.locator(".notifications-toasts .notification-list-item-message").all_inner_texts()

    def picture(self, name: str) -> Path:
        path = results_folder() / "vscode" / f"{current_test()}-{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._still())
        return path

    def _still(self) -> bytes:
        """The window when nothing fades or moves any more, or as it is after a while."""
        deadline = time.monotonic() + _STILL_SECONDS
        last, now = b"", self.page.screenshot()
        while last != now and time.monotonic() < deadline:
            last, now = now, self.page.screenshot()
        return now


def _text(frame: Frame) -> str:
    from playwright.sync_api import Error

    try:
        return frame.locator("body").inner_text(timeout=1000)
    except Error:  # it is gone, or not there yet
        return ""
