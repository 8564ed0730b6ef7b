"""Garbage is collected on the UI thread only: a collection in a worker would destroy widgets there."""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer, Slot

_PERIOD_MS = 2000


class GcGuard(QObject):
    """Automatic collection is off while this lives; each generation is collected when its threshold was passed.

    Not while a worker loads modules: their hundred thousand new objects all live, and to walk them took 90 ms.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._thresholds = gc.get_threshold()
        self._modules = len(sys.modules)
        timer = QTimer(self)
        timer.setInterval(_PERIOD_MS)
        timer.timeout.connect(self.check)
        timer.start()

    @Slot()
    def check(self) -> None:
        before, self._modules = self._modules, len(sys.modules)
        if self._modules != before:
            return
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return
