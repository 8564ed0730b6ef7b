"""The model's part of a question: the loop, the check of what it wrote, and one chance to mend it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

from desktop.agent import loop
from desktop.agent.events import AnswerChecked, AnswerSentBack, RunFinished, RunStopped
from desktop.agent.history import repaired
from desktop.agent.language_model import LanguageModel
from desktop.agent.limits import Limits
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.messages import Quote, quotes_in, search_results_in
from desktop.agent.people import hide_last, reveal
from desktop.agent.run_state import Prompt, RunState
from desktop.agent.tool import Toolset
from desktop.domain.answer import CheckedText
from desktop.net import Cancellation
from desktop.services.native_quotes import with_quotes


@dataclass(frozen=True, slots=True)
class Written:
    """A model's finished text as the check gets it.

    Sources stand in the text as `[ref:…]`; `refs` are what the tools of this question returned beside the
    evidence, `quotes` the words a model cited natively.
    """

    text: str
    refs: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelLeg:
    """What one question's model work needs; `check` is the evidence's and asks no model.

    For a model `outside` the plant, `names` are all people who may be mentioned (see `people.hide_last`).
    """

    model: LanguageModel
    tools: Toolset
    check: Callable[[Written], CheckedText]
    limits: Limits = field(default_factory=Limits)
    names: Collection[str] = ()
    outside: bool = False

    def begin(
        self, run_id: str, conversation_id: str, prompt: Prompt, question: str, previous: RunState | None = None
    ) -> RunState:
        """A new question's state, as the conversation's next one if `previous` is its last; people under stand-ins."""
        if previous is None:
            state = RunState.start(run_id, conversation_id, prompt, question)
        else:
            state = repaired(previous).follow_up(run_id, prompt, question)
        return hide_last(state, self.names)

    def run(self, state: RunState, cancelled: Cancellation) -> Generator[Step, None, None]:
        """As `loop.run`, with AnswerChecked before RunFinished; a finding goes back once, inside the same turns.

        AnswerSentBack voids the text shown so far; if the second try never ends, the first is shown after all, marked.
        A run parked by a proposal ends with its Checkpoint and is
        taken up by calling this again with the decided state.
        """
        first_try: CheckedText | None = None
        while True:
            finished = None
            with closing(self._loop(state, cancelled)) as steps:
                for step in steps:
                    match step:
                        case Checkpoint():
                            state = step.state
                            yield step
                        case RunFinished():
                            finished = step
                        case RunStopped() if first_try is not None:
                            yield AnswerChecked(first_try, sent_back=True)
                            yield step
                        case _:
                            yield step
            if finished is None:
                return
            checked = self._checked(finished.text, state)
            if checked.clean or state.sent_back or state.turns >= self.limits.turns:
                yield AnswerChecked(checked, state.sent_back)
                yield finished
                return
            first_try = checked
            yield AnswerSentBack(checked)
            state = hide_last(replace(state.with_note(findings(checked)), sent_back=True), self.names)
            yield Checkpoint(state)

    def _checked(self, text: str, state: RunState) -> CheckedText:
        quotes = _quotes(state)
        return with_quotes(self.check(Written(text, state.refs, quotes)), quotes, _given(state))

    def _loop(self, state: RunState, cancelled: Cancellation) -> Generator[Step, None, None]:
        return loop.run(state, self.model, self.tools, cancelled, self.limits, names=self.names, outside=self.outside)


def _quotes(state: RunState) -> tuple[Quote, ...]:
    return tuple(Quote(quote.ref, reveal(quote.text, state.people)) for quote in quotes_in(state.last))


def _given(state: RunState) -> Mapping[str, str]:
    """The text of each source that the model was given to cite, as the screen would show it."""
    given: dict[str, str] = {}
    for source in (source for message in state.messages for source in search_results_in(message)):
        given[source.ref] = f"{given.get(source.ref, '')}\n{reveal(source.text, state.people)}"
    return given


def question_with_facts(question: str, facts: str) -> str:
    """The question as a model gets it: the person's words, then the facts as data."""
    return f"{question}\n\n{facts}" if facts else question


def findings(checked: CheckedText) -> str:
    """What the check found, stated as facts: a list of orders would be repeated instead of followed."""
    found = "\n".join(f"- {warning.name or '-'}：{warning.text}" for warning in checked.warnings)
    return (
        "【照合の結果】直前の回答を、台帳・マニュアル・記録と照合しました。次の語は確認できていません。\n"
        f"{found}\n"
        "確認できた内容だけの回答が、画面に出ます。"
    )
