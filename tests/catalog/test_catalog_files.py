"""Model files, round trips and the HTML form (SPEC 2.3, 14.3)."""

from __future__ import annotations

import json
from datetime import date
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.catalog.files import load_catalog, read_catalog, write_catalog
from routinglab.catalog.html import catalog_html
from routinglab.catalog.model import Catalog, Model, PriceTier, Source
from routinglab.core.efforts import EFFORTS
from routinglab.errors import CatalogError


def write(path, data):
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_later_files_replace_models_of_earlier_ones_and_of_the_curated_catalog(tmp_path):
    def own(price):
        return {"models": [{"provider": "openai", "id": "gpt-5.5", "inputPrice": price}]}

    first, second = write(tmp_path / "a.json", own(1)), write(tmp_path / "b.json", own(2))
    found = load_catalog(first, second)
    assert found["openai/gpt-5.5"].input_price == 2.0
    assert found["openai/gpt-5.5"].output_price is None
    assert len(found) == len(load_catalog())
    assert [m.full_id for m in load_catalog(first, curated=False)] == ["openai/gpt-5.5"]
    assert len(load_catalog(curated=False)) == 0


def test_each_public_list_is_recognised_by_its_shape(tmp_path):
    lists = {
        "md.json": {"acme": {"models": {"m": {"modalities": {"output": ["text"]}}}}},
        "or.json": {"data": [{"id": "a/m"}]},
        "ll.json": {"gpt": {"litellm_provider": "openai", "mode": "chat"}},
        "own.json": {"schema": "routinglab-catalog/1", "models": [{"provider": "p", "id": "m"}]},
    }
    paths = [write(tmp_path / name, data) for name, data in lists.items()]
    found = load_catalog(*paths, curated=False)
    assert [m.full_id for m in found] == ["acme/m", "openrouter/a/m", "openai/gpt", "p/m"]


def test_warnings_of_an_import_name_the_file(tmp_path):
    file = write(tmp_path / "or.json", {"data": [{"id": "a/m", "context_length": "big"}]})
    (warning,) = load_catalog(file, curated=False).warnings
    assert warning.startswith(f"{file}: openrouter/a/m: ")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "not a JSON object"),
        ({"a": 1}, "is no model list"),
        ({"modles": []}, "Did you mean 'models'"),
        ({"models": [], "extra": 1}, "unknown key 'extra'"),
        ({"schema": "other/9", "models": []}, "'other/9' is not"),
        ({"schema": "routinglab-catalog/1", "models": {}}, "must be a list"),
        ({"models": [3]}, "models[0] must be an object"),
        ({"models": [{"provider": "p", "id": "m", "contextwindow": 1}]},
         "models[0] (p/m): unknown key 'contextwindow'. Did you mean 'contextWindow'"),
        ({"models": [{"provider": "p", "id": "m", "inputPrice": -1}]}, "models[0] (p/m): "),
        ({"models": [{"provider": "p", "id": "m", "kind": "chatty"}]}, "chatty"),
        ({"models": [{"provider": "p/q", "id": "m"}]}, "provider"),
        ({"models": [{"id": "m"}]}, "provider"),
        ({"models": [{"provider": "p", "id": "m"}] * 2}, "models[1]: p/m is listed twice"),
        ({"models": [{"provider": "p", "id": "m", "sources": {"s9": []}}]}, "'s9' is not defined"),
        ({"models": [], "sources": {"s": {"nam": "x"}}}, "sources.s"),
    ],
)  # fmt: skip
def test_an_error_names_the_file_the_entry_and_the_nearest_key(tmp_path, data, says):
    file = write(tmp_path / "mine.json", data)
    with pytest.raises(CatalogError) as caught:
        load_catalog(file)
    assert str(file) in str(caught.value)
    assert says in str(caught.value)


def test_a_missing_file_or_folder_is_an_error_naming_it(tmp_path):
    for path in (tmp_path / "no.json", tmp_path):
        with pytest.raises(CatalogError, match="cannot be read"):
            load_catalog(path)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CatalogError, match="cannot be written"):
        write_catalog(Catalog([]), tmp_path / "file" / "x.json")
    write_catalog(Catalog([Model(provider="p", id="m")]), tmp_path / "new" / "x.json")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["x.json"]


def test_the_real_list_survives_a_round_trip(shared_data, tmp_path):
    found = read_catalog(shared_data / "models_dev" / "api.json")
    write_catalog(found, tmp_path / "copy.json")
    again = read_catalog(tmp_path / "copy.json")
    assert again.digest == found.digest
    assert len((tmp_path / "copy.json").read_text().splitlines()) < len(found) + 20


_PRICE = st.none() | st.floats(0, 1000, allow_nan=False)
_WORD = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="/"), min_size=1, max_size=6)  # fmt: skip
_MODELS = st.builds(
    Model,
    provider=_WORD,
    id=_WORD,
    name=st.text(max_size=8),
    kind=st.sampled_from(["chat", "image", "classifier"]),
    inputs=st.none() | st.lists(st.sampled_from(["text", "image"]), unique=True).map(tuple),
    context_window=st.none() | st.integers(1, 10**9),
    input_price=_PRICE,
    output_price=_PRICE,
    tiers=st.lists(st.builds(PriceTier, above=st.integers(0, 10**6), input_price=_PRICE,
                             output_price=_PRICE), max_size=2).map(tuple),
    efforts=st.lists(st.sampled_from(EFFORTS), unique=True).map(tuple),
    released=st.none() | st.dates(),
    billing=st.sampled_from([None, "metered", "subscription", "free"]),
    base_model=st.none() | st.just("p/m"),
    request_options=st.sampled_from([(), (("speed", "fast"),)]),
    deprecated=st.booleans(),
    sources=st.lists(st.builds(Source, name=st.text(min_size=1, max_size=4),
                               as_of=st.none() | st.just(date(2026, 7, 2)),
                               facts=st.lists(st.text(max_size=3), max_size=2).map(tuple)),
                     max_size=3).map(tuple),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(_MODELS, max_size=4))
def test_what_is_written_reads_back_the_same(tmp_path_factory, models):
    path = tmp_path_factory.mktemp("round") / "c.json"
    write_catalog(Catalog(models), path)
    assert list(read_catalog(path)) == list(Catalog(models))


class _Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def test_the_html_form_is_escaped_bounded_and_says_what_is_unknown():
    evil = "<script>alert('x')</script>"
    models = [Model(provider="p", id=f"{evil}{n}", name=evil, inputs=(evil,)) for n in range(5_000)]
    html = Catalog(models, ["w"] * 3)._repr_html_()
    found = _Tags(html)
    assert "script" not in found.tags
    assert found.tags.count("tr") == 21
    assert (
        "5,000 models at 1 providers, the first 20 shown; 3 warnings (see .warnings)" in found.text
    )
    assert found.text.count("unknown") == 20 * 5
    assert len(html) < 40_000


def test_the_html_form_shows_the_facts():
    model = Model(
        provider="p", id="m", name="M", inputs=("text", "image"), context_window=200_000,
        input_price=3, output_price=0, tiers=(PriceTier(above=1, input_price=6, output_price=0),),
        efforts=("low", "high"), released=date(2026, 3, 5), billing="metered", deprecated=True,
    )  # fmt: skip
    text = _Tags(catalog_html(Catalog([model]))).text
    for shown in ("p/m", "M (deprecated)", "text, image", "200,000", "3 (+1 tier)", "0 (+1 tier)",
                  "low, high", "2026-03-05", "metered"):  # fmt: skip
        assert shown in text
    assert repr(Catalog([model])) == "Catalog(1 models, 1 providers)"
