"""Proxies found by a script, with WinHTTP played by the test: what it is asked, and what its words mean."""

from typing import Any

import pytest

from desktop import net, pac
from desktop.net import Route
from desktop.pac import Outcome


class WinHttp:
    """Answers as the Windows library does, through the structures it is handed."""

    def __init__(self, *, script: str | None = None, detect: bool = False, says: str | None = None) -> None:
        self._script, self._detect, self._says = script, detect, says
        self.asked: list[tuple[str, int, str | None]] = []
        self.closed = 0
        self.WinHttpOpen = Function(lambda *given: 7)
        self.WinHttpGetIEProxyConfigForCurrentUser = Function(self._user)
        self.WinHttpGetProxyForUrl = Function(self._proxy)
        self.WinHttpCloseHandle = Function(self._close)

    def _user(self, pointer: Any) -> int:
        pointer._obj.script = self._script
        pointer._obj.auto_detect = self._detect
        return 1

    def _proxy(self, session: Any, url: str, options: Any, found: Any) -> int:
        self.asked.append((url, options._obj.flags, options._obj.script))
        if self._says is None:
            return 0
        found._obj.access = 3 if self._says else 1
        found._obj.proxy = self._says or None
        return 1

    def _close(self, session: Any) -> int:
        self.closed += 1
        return 1


class Function:
    def __init__(self, work: Any) -> None:
        self._work = work
        self.restype: Any = None

    def __call__(self, *given: Any) -> int:
        return int(self._work(*given))


@pytest.mark.parametrize(
    ("says", "proxy"),
    [
        ("proxy.plant:8080", "http://proxy.plant:8080"),
        ("a:80;b:80", "http://a:80"),
        ("http=a:80;https=b:443", "http://b:443"),
        ("http=a:80", None),
        ("http://proxy.plant:8080", "http://proxy.plant:8080"),
        ("", None),
        (None, None),
    ],
)
def test_the_first_entry_that_fits_counts(says: str | None, proxy: str | None) -> None:
    windows = WinHttp(script="http://wpad.plant/proxy.pac", says=says)
    assert pac.find("https://api.anthropic.com", windows) == proxy
    assert windows.asked == [("https://api.anthropic.com", 2, "http://wpad.plant/proxy.pac")]
    assert windows.closed == 1


def test_detection_is_asked_for_where_the_user_has_it_on_and_nothing_where_all_is_off() -> None:
    windows = WinHttp(detect=True, says="a:80")
    assert pac.find("https://api.anthropic.com", windows) == "http://a:80"
    assert windows.asked[0][1:] == (1, None)
    off = WinHttp(says="a:80")
    assert pac.find("https://api.anthropic.com", off) is None
    assert off.asked == []


def test_other_platforms_have_no_script_to_ask() -> None:
    assert pac.find("https://api.anthropic.com") is None


@pytest.mark.parametrize(
    ("script", "error", "outcome"),
    [
        ("http://wpad.plant/proxy.pac", 12167, Outcome.UNREACHABLE),
        ("http://wpad.plant/proxy.pac", 12007, Outcome.UNREACHABLE),
        ("http://wpad.plant/proxy.pac", 12180, Outcome.UNREACHABLE),
        ("http://wpad.plant/proxy.pac", 12166, Outcome.NOTHING),
        ("http://wpad.plant/proxy.pac", 12177, Outcome.NOTHING),
        ("http://wpad.plant/proxy.pac", 14007, Outcome.NOTHING),
        (None, 12180, Outcome.NO_SCRIPT),
        (None, 12167, Outcome.UNREACHABLE),
    ],
)
def test_a_script_that_is_not_there_is_told_from_one_that_makes_no_sense(
    script: str | None, error: int, outcome: Outcome
) -> None:
    windows = WinHttp(script=script, detect=script is None)
    answer = pac.ask("https://api.anthropic.com", windows, lambda: error)
    assert (answer.outcome, answer.proxy) == (outcome, None)
    assert answer.script == (script or "") or outcome is Outcome.NO_SCRIPT
    assert windows.closed == 1


@pytest.mark.parametrize(
    ("says", "outcome"),
    [("a:80", Outcome.PROXY), ("", Outcome.DIRECT), ("http=a:80", Outcome.NOTHING), ("socks=a:1080", Outcome.NOTHING)],
)
def test_a_scripts_answer_is_a_proxy_none_or_nothing_to_use(says: str, outcome: Outcome) -> None:
    answer = pac.ask("https://api.anthropic.com", WinHttp(script="http://w/p.pac", says=says))
    assert answer.outcome is outcome
    assert answer.said == says


def test_a_proxy_that_a_script_names_counts_as_one_where_a_failure_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net, "getproxies", dict)
    monkeypatch.setattr(pac, "find", lambda url: "http://proxy.plant:8080")
    assert net.proxy_of("https://api.example", Route()) == "http://proxy.plant:8080"
    assert net.named(ConnectionRefusedError(), "https://api.example", Route()).code == "net_proxy"
    assert net.named(ConnectionRefusedError(), "https://api.example", Route(proxy="direct")).code == "net_refused"
    assert net.proxy_of("http://127.0.0.1:1", Route()) == ""
