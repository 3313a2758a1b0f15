"""`module:Class(parameter=value)`: parsed and never evaluated, imported, and made or refused."""

import pytest

from bandstrap import InvalidInput, LinUCB, Model, Policy
from bandstrap.comparison.options import split_policies
from bandstrap.policies.own import made, own_by_name, parsed
from own_code import own_folder


@pytest.fixture
def mine(tmp_path):
    with own_folder(tmp_path) as module:
        yield module


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("mine:Soft", ("mine", "Soft", None)),
        ("mine:Soft()", ("mine", "Soft", {})),
        ("a.b:C.d(x=-1.5e3)", ("a.b", "C.d", {"x": -1500.0})),
        (" mine:Soft (x=1, y='a,b') ", ("mine", "Soft", {"x": 1, "y": "a,b"})),
        (
            "m:S(x=[{'a': (1, None)}, {2}], y=True)",
            ("m", "S", {"x": [{"a": (1, None)}, {2}], "y": True}),
        ),
    ],
)
def test_what_is_parsed(text, parts):
    assert parsed(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "mine", ":Soft", "mine:", "mi ne:Soft", "1:Soft", "mine:Soft(x=1", "mine:Soft(x=1) + 1",
        "mine:Soft(1)", "mine:Soft(x=1)(y=2)", "mine:Soft(**{'x': 1})", "mine:Soft(x=1, x=2)",
        "mine:Soft(*[1])", "mine:Soft(x=y)", "mine:Soft(x=__import__('os').getcwd())",
        "mine:Soft(x=[i for i in (1,)])", "mine:Soft(x=f'{1}')", "mine:Soft(x=lambda: 1)",
        "mine:Soft(x=1 if 1 else 2)", "mine:Soft(x=(y:=1))", f"mine:Soft(x={'[' * 300}{']' * 300})",
        f"mine:Soft(x='{'a' * 2000}')", "mine:Soft(x=9**9**9)",
    ],
)  # fmt: skip
def test_what_is_refused_unread(text):
    with pytest.raises(InvalidInput, match="as in my_policies:Mine") as refused:
        parsed(text)
    assert " at 0x" not in str(refused.value)


def test_commas_in_brackets_and_quotes_do_not_count():
    assert split_policies("wb, m:S(a=1, b='x),y'),ts") == ("wb", "m:S(a=1, b='x),y')", "ts")
    assert split_policies("wb,,ts,") == ("wb", "ts")
    assert split_policies("") == ("",)
    assert split_policies("m:S(a=[1, {2: 3}, (4,)])") == ("m:S(a=[1, {2: 3}, (4,)])",)
    assert split_policies(["a,b"]) == ("a,b",)


def test_parameters_reach_the_class(mine):
    one = made(f"{mine}:Soft(temperature=0.3, words=('a', ['b']))", Policy)
    assert (one.temperature, one.words) == (0.3, ("a", ["b"]))
    assert made(f"{mine}:Soft", Policy).temperature == 0.1
    assert made(f"{mine}:made(temperature=0.4)", Policy).temperature == 0.4
    assert made(f"{mine}:ready", Policy).temperature == 0.7
    assert made(LinUCB, Policy) == LinUCB()


def test_names_say_the_parameters(mine):
    texts = [f"{mine}:Soft", f"{mine}:Soft(temperature=0.3)", f"{mine}:Soft(temperature=0.5)"]
    found = own_by_name(texts, Policy)
    assert [*found] == ["soft", "soft(temperature=0.3)", "soft(temperature=0.5)"]
    assert [each.temperature for each in found.values()] == [0.1, 0.3, 0.5]
    twice = own_by_name([*texts[:2], *texts[:2], LinUCB(), LinUCB(penalty=2.0)], Policy)
    assert [*twice] == [
        "soft", "soft(temperature=0.3)", "soft-2", "soft(temperature=0.3)-2", "linucb", "linucb-2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("gone_module_x:Soft", "there is no module 'gone_module_x'"),
        ("{mine}.inner:Soft", "there is no module '{mine}.inner'"),
        ("{mine}:Soff", "has no Soff; unknown name 'Soff': did you mean 'Soft'?"),
        ("{mine}:Soft.gone", "has no gone"),
        ("{mine}:NoPolicy", "give a Policy, or what returns one; NoPolicy is none"),
        ("{mine}:Soft(temperature=-1)", "temperature = -1: give a positive number"),
        ("{mine}:Soft(heat=1)", r"TypeError: .*unexpected keyword argument 'heat'"),
        ("{mine}:Needy", "RuntimeError: no licence"),
        ("{mine}:ready(temperature=1)", "it is an object: leave the parentheses out"),
        ("{mine}_broken:Soft", "SyntaxError"),
        ("{mine}_importing:Soft", "there is no module 'gone_module_y'"),
        ("{mine}_raising:Soft", "ZeroDivisionError"),
    ],
)
def test_everything_that_can_go_wrong_is_one_clear_error(mine, tmp_path, text, told):
    (tmp_path / f"{mine}_broken.py").write_text("def :\n")
    (tmp_path / f"{mine}_importing.py").write_text("import gone_module_y\n")
    (tmp_path / f"{mine}_raising.py").write_text("1 / 0\n")
    with pytest.raises(InvalidInput, match=told.format(mine=mine)) as refused:
        made(text.format(mine=mine), Policy)
    assert str(refused.value).startswith("--policy = ")


def test_a_model_is_asked_for_where_models_are():
    with pytest.raises(InvalidInput, match="--model = 'bandstrap:UCB1': give a Model"):
        made("bandstrap:UCB1", Model)
