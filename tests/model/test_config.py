"""Configs: values in the knobs' order, checked, hashable."""

from __future__ import annotations

import pytest

from playground.model.config import Config, default_config, validated
from playground.model.knobs import KnobError, constexpr_knob, option_knob

KNOBS = (
    constexpr_knob("BLOCK", 64),
    constexpr_knob("FUNCTION", object()),
    constexpr_knob("FLAG", True),
    option_knob("num_warps", 4),
)


def test_a_config_is_a_value() -> None:
    config = Config.of({"BLOCK": 64, "FLAG": True})
    assert config == Config((("BLOCK", 64), ("FLAG", True)))
    assert {config: 1}[Config.of({"BLOCK": 64, "FLAG": True})] == 1
    assert config["BLOCK"] == 64
    assert "FLAG" in config
    assert "other" not in config
    assert config.with_value("NAME", "").label() == "BLOCK=64 FLAG=True NAME=''"
    assert list(config) == ["BLOCK", "FLAG"]
    with pytest.raises(KeyError):
        config["other"]


def test_changes_keep_the_order() -> None:
    config = Config.of({"BLOCK": 64, "FLAG": True})
    assert config.with_value("BLOCK", 128).as_dict() == {"BLOCK": 128, "FLAG": True}
    assert list(config.updated({"num_warps": 8, "BLOCK": 32})) == ["BLOCK", "FLAG", "num_warps"]
    assert config["BLOCK"] == 64
    assert config.label().startswith("BLOCK=64 FLAG=True")
    copy = config.as_dict()
    copy["BLOCK"] = 0
    assert config["BLOCK"] == 64


def test_fixed_knobs_have_no_default_value() -> None:
    assert default_config(KNOBS).as_dict() == {"BLOCK": 64, "FLAG": True, "num_warps": 4}


def test_validation_completes_orders_and_refuses() -> None:
    config = validated(Config.of({"num_warps": 8, "BLOCK": 32}), KNOBS)
    assert config.values == (("BLOCK", 32), ("FLAG", True), ("num_warps", 8))
    with pytest.raises(KnobError, match=r"BLOK is no knob of this launch; its knobs are BLOCK"):
        validated(Config.of({"BLOK": 1}), KNOBS)
    with pytest.raises(KnobError, match="power of two"):
        validated(Config.of({"BLOCK": 48}), KNOBS)
    with pytest.raises(KnobError, match="cannot be moved"):
        validated(Config.of({"FUNCTION": 1}), KNOBS)
    with pytest.raises(KnobError, match="its knobs are none"):
        validated(Config.of({"B": 1}), ())
