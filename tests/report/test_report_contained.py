"""What would leave the page is found, and what stays inside is let be."""

from __future__ import annotations

import pytest

from routinglab.report.contained import Reach, reach_of


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        ('<img src="https://a.example/x.png">', "https://a.example/x.png"),
        ('<img src="plot.png">', "plot.png"),
        ('<img srcset="data:image/png;base64 1x, //a.example/2.png 2x">', "//a.example/2.png 2x"),
        ('<link rel="stylesheet" href="style.css">', "style.css"),
        ('<svg><image xlink:href="http://a.example/i.svg"/></svg>', "http://a.example/i.svg"),
        ("<style>@import 'http://a.example/a.css';</style>", "http://a.example/a.css"),
        ("<style>p { background: url( 'b.png' ) }</style>", "b.png"),
        ('<p style="background: URL(b.png)">', "b.png"),
        ('<rect fill="url(other.svg#g)"/>', "other.svg#g"),
        ('<form action="https://a.example/"></form>', "https://a.example/"),
        ('<iframe srcdoc="<p>"></iframe>', "a framed document"),
        (
            '<meta http-equiv="refresh" content="0;url=https://a.example">',
            "0;url=https://a.example",
        ),
        ('<base href="https://a.example/">', "https://a.example/"),
        ('<object data="x.swf"></object>', "x.swf"),
        ('<video poster="p.png"></video>', "p.png"),
    ],
)
def test_an_address_the_browser_would_fetch_is_found(markup: str, address: str) -> None:
    assert reach_of(markup) == Reach(address=address)


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="https://a.example/">link</a>',
        '<img src="data:image/png;base64,AAAA">',
        '<svg><use xlink:href="#m1"/><path clip-path="url(#p1)"/></svg>',
        "<style>p { fill: url(#g) }</style>",
        '<script type="application/json">{"src": "https://a.example"}</script>',
        "<p>src=https://a.example url(x.png)</p>",
        "<pre>&lt;script src=x&gt;</pre>",
    ],
)
def test_what_stays_inside_is_let_be(markup: str) -> None:
    assert reach_of(markup) is None


@pytest.mark.parametrize(
    "markup",
    [
        "<script>alert(1)</script>",
        '<script type="module">1</script>',
        '<p onclick="x()">',
        '<a href=" JavaScript:x()">',
        "<svg><script>1</script></svg>",
    ],
)
def test_a_script_is_found_unless_allowed(markup: str) -> None:
    assert reach_of(markup) == Reach(script=True)
    assert reach_of(markup, allow_scripts=True) is None


def test_an_allowed_script_still_may_not_load_from_elsewhere() -> None:
    reach = reach_of('<script src="https://cdn.example/a.js"></script>', allow_scripts=True)
    assert reach == Reach(address="https://cdn.example/a.js")
