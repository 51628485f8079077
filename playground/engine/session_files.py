"""What a session does when another open file is worked on, and when it is its turn again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

from playground.engine import helper_modules, interpreting, loading
from playground.model.outline import Outline

if TYPE_CHECKING:
    from playground.engine.helper_modules import Scene
    from playground.engine.session import Session


class FileVerbs:
    """A session beside those of other files; a part of `Session`, in a file of its own.

    A process has one place for imports, one text for each path, and memory for one set of worker
    processes: the session that is at work has them.
    """

    _scene: Scene | None = None

    def step_back(self) -> None:
        """Make room for the session of another file; launches and answers are kept."""
        me = cast("Session", self)
        self._scene = None
        if me.namespace:
            self._scene = helper_modules.scene()
            for name in self._scene.modules:
                sys.modules.pop(name, None)
        if me.path:
            # The other file may import this one: then it is what the disk holds.
            loading.forget_text(me.path)

    def step_forward(self, before: Session) -> None:
        """Go on with this file after `before`, whose idle processes serve this session now."""
        me = cast("Session", self)
        helper_modules.set_scene(self._scene)
        self._scene = None
        if me.namespace:
            loading.use_text(me.path, me.text)
        interpreting.take_over(me)
        me.take_processes(before)

    def unload(self) -> None:
        """Be as before the first file: nothing of it is kept."""
        me = cast("Session", self)
        me.drop_run()
        self._scene = None
        me.path, me.text, me.outline, me.driver, me.sizes = "", "", Outline(), None, {}

    def held_bytes(self) -> int:
        """Return the bytes of what is kept of the launches: what they started from, and counts."""
        me = cast("Session", self)
        images = {
            id(image): image for launch in me.launches for image in launch.snapshot.images.values()
        }
        kept = sum(image.live.numel() + image.saved.numel() for image in images.values())
        copies = sum(working.nbytes for working in me.kept.working.values())
        counted = sum(counts.nbytes for counts in me.kept.counts.values())
        return kept + copies + counted
