"""Colours, counted: contrast on both pages, and distance under each colour deficiency."""

import re
import tomllib
from itertools import combinations

import numpy as np
import pytest

from oncosearch.ui.palette import HEAT_DARK, HEAT_LIGHT, PAGE_DARK, PAGE_LIGHT, SWATCHES
from oncosearch.ui.resources import asset
from tests.paths import ROOT

THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]

# Machado, Oliveira and Fernandes 2009, severity 1.
DEFICIENCIES = {
    "none": np.eye(3),
    "red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]),
    "blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)


def linear(colour):
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    a, b = (float(linear(colour) @ TO_XYZ[1]) + 0.05 for colour in (one, other))
    return max(a, b) / min(a, b)


def lab(value):
    x, y, z = np.cbrt(TO_XYZ @ np.clip(value, 0, 1) / np.array([0.95047, 1, 1.08883]) + 1e-9)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_contrast_is_counted_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("node_type", SWATCHES)
def test_type_colours_stand_out_on_both_pages(node_type):
    assert contrast(SWATCHES[node_type].colour, PAGE_LIGHT) >= 3
    assert contrast(SWATCHES[node_type].colour, PAGE_DARK) >= 3


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_type_colours_keep_apart(deficiency):
    seen = {key: lab(DEFICIENCIES[deficiency] @ linear(s.colour)) for key, s in SWATCHES.items()}
    nearest = min((float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in combinations(seen, 2))
    assert nearest[0] >= 13, nearest


def test_numbers_in_the_heatmap_are_readable():
    assert min(contrast("#16262e", colour) for colour in HEAT_LIGHT) >= 4.5
    assert min(contrast("#e3ebee", colour) for colour in HEAT_DARK) >= 4.5


@pytest.mark.parametrize("side", ["light", "dark"])
def test_the_theme_is_readable(side):
    theme = THEME[side]
    page = {"light": PAGE_LIGHT, "dark": PAGE_DARK}[side]
    assert theme["backgroundColor"] == page
    for ground in (page, theme["secondaryBackgroundColor"], theme["sidebar"]["backgroundColor"]):
        assert contrast(theme["textColor"], ground) >= 7
        assert contrast(theme["linkColor"], ground) >= 4.5
    assert contrast(theme["primaryColor"], "#ffffff") >= 4.3, "white stands on the main button"


def test_our_own_text_colours_are_readable():
    pairs = dict(
        (name, (light, dark))
        for name, light, dark in re.findall(
            r"--os-([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)", asset("oncosearch.css")
        )
    )
    for side in (0, 1):
        grounds = [pairs[name][side] for name in ("soft", "card", "warn", "bad")] + [(PAGE_LIGHT, PAGE_DARK)[side]]
        for ground in grounds:
            assert contrast(pairs["ink"][side], ground) >= 7
            assert contrast(pairs["quiet"][side], ground) >= 4.5
            assert contrast(pairs["link"][side], ground) >= 4.5
        assert contrast(pairs["ink"][side], pairs["mark"][side]) >= 4.5
