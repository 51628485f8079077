"""Another file's kernel as a rival: which file is meant, its sizes, does it do the same."""

import pytest

from playground.engine import contestants
from playground.engine.clocks.work import Work
from playground.engine.comparing import Contestant, NotTimedError


def test_a_file_is_looked_for_beside_the_other_then_here(tmp_path, monkeypatch):
    kernels, here = tmp_path / "kernels", tmp_path / "here"
    for folder in (kernels, here):
        folder.mkdir()
        (folder / "both.py").touch()
    (here / "only.py").touch()
    monkeypatch.chdir(here)
    ours = kernels / "k.py"
    assert contestants.file_named("both.py", ours) == kernels / "both.py"
    assert contestants.file_named(" only.py ", ours) == here / "only.py"
    assert contestants.file_named(str(here / "both.py"), ours) == here / "both.py"
    with pytest.raises(NotTimedError, match=r"no file none\.py beside k\.py") as told:
        contestants.file_named("none.py", ours)
    assert told.value.hint


def side(bytes_unique):
    return Contestant("k", Work(lambda: None), bytes_unique=bytes_unique)


def test_kernels_that_move_other_bytes_do_not_do_the_same():
    note = contestants.unlike_work(side(12_000), side(24_000))
    assert note.startswith("not the same work: 24,000 bytes of the other's")
    for pair in ((12_000, 12_000), (12_000, 12_050), (None, 5), (5, None), (0, 5)):
        assert contestants.unlike_work(side(pair[0]), side(pair[1])) == ""


def test_the_other_file_runs_with_the_sizes_that_both_have(run_engine):
    answer = run_engine(
        """
        import playground
        from playground.engine import contestants
        from playground.engine.session import Session
        play = playground.open(KERNELS / "matmul.py")
        play.run(sizes={"m": 64, "n": 48})
        ours = contestants.sizes_of(play)
        other = Session()
        other.load(write("other.py", '''
            import torch
            from matmul import matmul

            def example(m: int = 16, rows: int = 3):
                return matmul(torch.ones(m, 32), torch.ones(32, 16))
        '''))
        answer({"ours": ours, "shared": contestants.shared_sizes(other, ours)})
        other.close()
        play.close()
        """
    )
    assert (answer["ours"]["m"], answer["ours"]["n"]) == (64, 48)
    assert "k" in answer["ours"]
    assert answer["shared"] == {"m": 64}
