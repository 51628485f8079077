"""Actions about time: they show the panel they belong to; idle work makes way for the user's."""

from contextlib import contextmanager

from PySide6.QtWidgets import QWidget

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.protocol.timing import Compare, GetEnergy, GetFloor, GetHostCost
from playground.ui.settings import Settings
from tests.ui.windows import open_window

KERNEL = kernels_dir() / "vector_add.py"


@contextmanager
def ran(qtbot, qapp, tmp_path):
    settings = Settings(tmp_path / "window.ini")
    settings.expressions = ["torch.add(x_ptr, y_ptr)"]
    with open_window(tmp_path, qapp, path=KERNEL, views=True, settings=settings) as made:
        qtbot.waitUntil(lambda: made.document.engine_state == "ready")
        made.document.run()
        qtbot.waitUntil(lambda: made.document.is_current(made.document.coverage))
        qtbot.waitUntil(lambda: made.document.work.queue.job is None)
        yield made


def shown(window, name):
    return not window.docks[name].visibleRegion().isEmpty()


def test_comparing_shows_its_panel_and_remembers_expressions(qtbot, qapp, tmp_path):
    with ran(qtbot, qapp, tmp_path) as window:
        actions, timing = window.actions_table, window.document.timing
        assert not actions["compare.baseline"].isEnabled()
        actions["compare"].trigger()
        qtbot.waitUntil(lambda: shown(window, "compare"))
        actions["compare.reference"].trigger()
        assert window.docks.views["compare"].chooser.kind.value == "reference"
        qtbot.waitUntil(lambda: timing.comparing is None)
        assert timing.comparison.b == "reference"
        actions["compare.more"].trigger()
        qtbot.waitUntil(lambda: timing.comparing is None)
        assert window.engine.requests(Compare)[-1].more is not None
        actions["baseline.pin"].trigger()
        window.document.set_knob("num_warps", 8)
        actions["compare.baseline"].trigger()
        qtbot.waitUntil(lambda: timing.comparing is None)
        assert window.engine.requests(Compare)[-1].against == window.document.baseline.config
        box = window.docks.views["compare"].chooser.expression
        assert box.itemText(0) == "torch.add(x_ptr, y_ptr)"
        window.docks.views["compare"].chooser.choose("expression")
        box.setEditText("same")
        window.docks.views["compare"].start()
        assert window.settings.expressions == ["same", "torch.add(x_ptr, y_ptr)"]
        qtbot.waitUntil(lambda: timing.comparing is None)


def test_figures_are_shown_where_they_come(qtbot, qapp, tmp_path):
    with ran(qtbot, qapp, tmp_path) as window:
        timing = window.document.timing
        window.actions_table["timing.host"].trigger()
        window.actions_table["timing.energy"].trigger()
        assert window.findChild(QWidget, "timings.more").isVisible()
        qtbot.waitUntil(lambda: not timing.is_asked(GetHostCost) and not timing.is_asked(GetEnergy))
        assert timing.energy(0, window.document.config) is not None
        assert timing.host_cost(0, window.document.config).cached_ms == 0.0152


def test_cold_and_warm_change_places(qtbot, qapp, tmp_path):
    with ran(qtbot, qapp, tmp_path) as window:
        window.actions_table["timing.cache"].trigger()
        assert window.document.cache == "warm"
        qtbot.waitUntil(lambda: window.document.measurement.cache == "warm")
        window.actions_table["timing.cache"].trigger()
        assert window.document.cache == "cold"


def test_the_noise_floor_makes_way_for_a_knob(qtbot, qapp, tmp_path):
    with ran(qtbot, qapp, tmp_path) as window:
        engine, document = window.engine, window.document
        qtbot.waitUntil(lambda: document.timing.floor(0, "cold") is not None)
        answer = engine._answer_getfloor

        def held_back(request):
            engine.hold = True
            return answer(request)

        engine._answer_getfloor = held_back
        document.set_cache("warm")
        qtbot.waitUntil(lambda: engine.hold)
        engine._answer_getfloor = answer
        assert not document.work.user_waits()
        job = next(number for number, sent in engine.sent[::-1] if isinstance(sent, GetFloor))
        document.set_knob("num_warps", 8)
        assert messages.Cancel(job) in engine.requests(messages.Cancel)
        engine.hold = False
        engine.release()
        # Asked for again when the engine rests.
        qtbot.waitUntil(lambda: document.timing.floor(0, "warm") is not None)
        assert document.engine_state == "ready"
