"""A disk that is full, or becomes so, costs a sweep nothing but what would have been kept."""

from tests.full_disks import full_disk, read_only_folder

SWEEP = """
    import contextlib, os
    os.environ["TRITON_INTERPRET"] = "1"
    import playground
    from playground.engine import sweep_record
    from playground.model.config import Config
    from playground.model.sweep import SweepRow
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_space import SweepSpace

    session = playground.open(str(KERNELS / "vector_add.py"))
    session.run(sizes={"size": 4096})
    space = SweepSpace(listed=(session.launches[0].info.config,))
    plan = SweepPlan(space, "exhaustive", stored=True)

    def kept(folder, rows):
        os.environ["XDG_DATA_HOME"] = folder
        with sweep_record.record_for(session, 0, plan, None) as (record, note):
            if record is None:
                return note
            for number in range(rows):
                record.add(SweepRow(Config.of({"BLOCK_SIZE": number}), "ok"), (0.5,) * 200)
            return record.note
"""


def test_the_sweep_goes_on_where_nothing_can_be_kept(tmp_path, run_engine):
    with full_disk(tmp_path, 256 * 1024) as disk:
        (tmp_path / "more").mkdir()
        with read_only_folder(tmp_path / "more") as fixed:
            found = run_engine(
                SWEEP
                + f"""
    disk = Path({str(disk)!r})
    found = {{"read only": kept({str(fixed)!r}, 1), "fills": kept(str(disk), 400)}}
    with contextlib.suppress(OSError):
        (disk / "filler").write_bytes(b"x" * 256 * 1024)
    found["full"] = kept(str(disk), 1)
    answer(found)
    session.close()
    """
            )
    assert found["read only"].startswith("nothing is kept: ")
    assert found["fills"].startswith("not kept from here on: ")
    assert "full" in found["fills"]
    assert found["full"].startswith(("nothing is kept: ", "not kept from here on: "))
