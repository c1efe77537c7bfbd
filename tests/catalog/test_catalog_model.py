"""What a catalog entry may hold (SPEC 2.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routinglab.catalog.files import load_catalog, write_catalog
from routinglab.catalog.imports.models_dev import import_models_dev
from routinglab.catalog.imports.openrouter import import_openrouter
from routinglab.catalog.model import Catalog, Model
from routinglab.core.efforts import EFFORTS
from routinglab.errors import CatalogError, InvalidInput

HALF = "\ud800"


@given(st.lists(st.sampled_from([*EFFORTS, None])))
def test_levels_are_kept_once_in_their_order_and_null_is_none(efforts: list[str | None]) -> None:
    model = Model(provider="p", id="m", efforts=efforts)
    assert model.efforts == tuple(e for e in EFFORTS if e in efforts)
    assert model.effort_choices == (model.efforts or (None,))


@pytest.mark.parametrize(
    "facts",
    [
        {"input_price": True},
        {"input_price": "1"},
        {"output_price": 1e308},
        {"context_window": "1000"},
        {"context_window": True},
        {"max_output": 1.5},
        {"tiers": [{"above": "1", "inputPrice": 2}]},
        {"name": HALF},
        {"inputs": [HALF]},
        {"id": ""},
    ],
)
def test_a_fact_of_another_type_is_refused(facts: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Model.model_validate({"provider": "p", "id": "m", **facts})


def test_half_a_character_in_a_public_list_costs_no_entry_and_no_digest(tmp_path) -> None:
    entry = {
        "name": f"A{HALF}",
        "modalities": {"input": ["text", HALF], "output": ["text"]},
    }
    found = import_models_dev({"p": {"models": {"a": entry, f"b{HALF}": entry}}})
    assert [(m.full_id, m.name) for m in found] == [("p/a", "A?")]
    assert any("left out" in warning for warning in found.warnings)
    listed = import_openrouter({"data": [{"id": "a/b", "name": HALF}]})
    file = tmp_path / "models.json"
    write_catalog(listed, file)
    assert load_catalog(file, curated=False).digest == listed.digest


@pytest.mark.parametrize("path", ["a\0b", HALF])
def test_a_path_that_can_be_none_is_an_error_like_a_missing_file(path: str) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog(path)


def test_a_catalog_may_be_empty_and_holds_models_only() -> None:
    assert len(Catalog()) == 0
    with pytest.raises(InvalidInput, match="holds models, not str"):
        Catalog(["p/m"])  # type: ignore[list-item]
