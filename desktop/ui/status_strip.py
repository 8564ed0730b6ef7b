"""The lowest line: network, model, what is unsent, how old the data is."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout

from desktop.errors import for_it, hn, sentence
from desktop.ui import messages, theme
from desktop.ui.language import language
from desktop.ui.names import named
from desktop.ui.widgets import FlowLayout, label, tip
from desktop.workers.station import Reach, Status
from desktop.workers.worker import Failure


class StatusStrip(QFrame):
    """Never by colour alone: the words say it too."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.em(0.5), theme.em(0.2), theme.em(0.5), theme.em(0.2))
        flow = FlowLayout()
        column.addLayout(flow)
        self._network = label("", "pill", wrap=False)
        self._provider = label("", "pill", wrap=False)
        self._sync = label("", "pill", wrap=False)
        self._age = label("", "pill", wrap=False)
        self._storage = label("", "pill", wrap=False)
        self._pills = {
            "networkStatus": self._network,
            "providerStatus": self._provider,
            "syncStatus": self._sync,
            "dataAge": self._age,
            "storageStatus": self._storage,
        }
        for key, pill in self._pills.items():
            named(pill, key)
            flow.addWidget(pill)
        self.show_unknown(self.tr("読み込み中…"))

    def show_unknown(self, words: str, role: str = "pill") -> None:
        """`words` for the data, if any, and nothing of what only opened data tells."""
        for pill in self._pills.values():
            pill.setText("")
            pill.setVisible(pill is self._age and bool(words))
        self._age.setText(words)
        theme.set_role(self._age, role)
        tip(self._age, "")

    def show_status(self, status: Status) -> None:
        for pill in self._pills.values():
            pill.show()
        self._network.setText(messages.reach_words(status.reach))
        role = {Reach.REACHED: "pill-ok", Reach.UNREACHED: "pill-warn"}.get(status.reach, "pill")
        theme.set_role(self._network, role)
        self._provider.setText(self._provider_words(status))
        theme.set_role(self._provider, "pill-warn" if status.cloud else "pill")
        self._sync.setText(self._sync_words(status))
        theme.set_role(self._sync, "pill-warn" if status.needs_attention else "pill" if status.unsent else "pill-ok")
        self._show_age(status)
        secrecy = self.tr("暗号化あり") if status.encrypted else self.tr("暗号化なし")
        station = self.tr("端末 {code}").format(code=status.station) if status.station else ""
        self._storage.setText(f"{secrecy}　{station}".strip())

    def show_trouble(self, failure: Failure | None) -> None:
        """What keeps requests from leaving; the next round may mend it."""
        if failure is None:
            tip(self._network, "")
            return
        self._network.show()
        error, speech = failure.error, language()
        unreached = messages.reach_words(Reach.UNREACHED)
        self._network.setText(self.tr("{what}（{hn}）").format(what=unreached, hn=hn(failure.code)))
        theme.set_role(self._network, "pill-warn")
        tip(self._network, f"{sentence(error, speech)}\n{for_it(error, speech)}")

    def _provider_words(self, status: Status) -> str:
        if status.provider == "offline":
            return self.tr("AI不使用")
        words = self.tr("AI：{model}").format(model=status.model or status.provider)
        leaving = self.tr("社外AIへ送信")
        return f"{words}　{leaving}" if status.cloud else words

    def _sync_words(self, status: Status) -> str:
        words = self.tr("未送信 {n}件").format(n=status.unsent)
        if status.last_sync is not None:
            words = self.tr("最終同期 {at} / {words}").format(at=messages.moment(status.last_sync), words=words)
        if status.needs_attention:
            words += self.tr("・要対応 {n}件").format(n=status.needs_attention)
        return words

    def _show_age(self, status: Status) -> None:
        trouble, speech = status.data_trouble, language()
        words = self.tr("{what}（{hn}）").format(what=self._age_words(status), hn=hn(trouble.code)) if trouble else ""
        self._age.setText(words or self._age_words(status))
        theme.set_role(self._age, "pill-warn" if status.data_old or trouble else "pill")
        tip(self._age, f"{sentence(trouble.error, speech)}\n{for_it(trouble.error, speech)}" if trouble else "")

    def _age_words(self, status: Status) -> str:
        if status.data_as_of is not None:
            return self.tr("データ：{day}まで").format(day=messages.day(status.data_as_of))
        return self.tr("データ：不明") if status.data_trouble else self.tr("データ：記録なし")
