"""The loop of the agent over the real tools, with a scripted model behind a real socket."""

import json
import re
from dataclasses import replace

import pytest
from fakes.agent_runner import (
    COUNT,
    EMPTY,
    TWO,
    TWO_OF,
    UNKNOWN_COLUMN,
    WRONG_ARROW,
    AgentRunner,
)
from fakes.fake_openai import FakeOpenAI
from fakes.scripted_chat import called, choice, composition, plan, understanding
from mcp import Client
from mcp.types import TextResourceContents
from pydantic import BaseModel

from moviegraph.ask import agent as agent_module
from moviegraph.ask.reasoner import Choice, Composition, Plan, Understanding
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings, content_folder
from moviegraph.tool_client import ConnectionLostError, ToolClient

pytestmark = pytest.mark.anyio


async def test_the_answer_has_records_whose_names_come_from_the_graph(
    agent_runner: AgentRunner,
) -> None:
    reply = await agent_runner.answer()
    assert reply.answered
    assert reply.text == "Cook Ratatouille."
    assert [(record.kind, record.id, record.name) for record in reply.records] == [
        ("Recipe", 1, "Ratatouille")
    ]
    assert reply.records[0].reason == "It fits."
    assert "first" in reply.records[0].found_by
    assert reply.records[0].further["Minutes"] == 60
    assert (reply.dropped, reply.doubts) == ((), ())
    assert (reply.rounds, len(reply.executions)) == (1, 2)


def prompt_text(name: str) -> str:
    return (content_folder("prompts") / "ask" / f"{name}.md").read_text(encoding="utf-8")


async def test_the_model_is_asked_with_what_the_server_says_of_its_graph(
    agent_runner: AgentRunner,
) -> None:
    await agent_runner.answer()
    async with Client(agent_runner.server) as client:
        content = (await client.read_resource("moviegraph://rules")).contents[0]
    assert isinstance(content, TextResourceContents)
    assert content.text.strip() in agent_runner.chat.prompts["Plan"][0]
    for shape, name in (
        ("Understanding", "reformulate_question"),
        ("Plan", "plan_strategies"),
        ("Choice", "select_strategy"),
        ("Composition", "compose_answer"),
    ):
        asked = agent_runner.chat.prompts[shape][0]
        assert "{{" not in asked
        fixed = [line for line in prompt_text(name).splitlines() if "{{" not in line]
        assert [line for line in fixed if line not in asked] == []


async def test_the_model_calls_the_tools_of_any_client_with_their_arguments(
    agent_runner: AgentRunner,
) -> None:
    search = {"query": "a stew", "only": ["Cuisine:Provençal"]}
    reply = await agent_runner.answer(plan=[called(stew=("hybrid_search", search))])
    asked = agent_runner.chat.prompts["Plan"][0]
    async with Client(agent_runner.server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name in ("semantic_search", "hybrid_search", "graph_traverse", "get_records"):
        for argument in tools[name].input_schema["properties"]:
            assert f'"{argument}"' in asked
    assert "expand_strategy" not in asked.partition("<tools>")[2].partition("</tools>")[0]
    assert reply.answered
    assert [record.found_by for record in reply.records] == [("stew",)]
    assert len(reply.executions) == 1
    assert "stew: ok" in agent_runner.shown


async def test_a_call_that_fails_is_told_to_the_model_with_its_reason(
    agent_runner: AgentRunner,
) -> None:
    bad = called(
        bad=("hybrid_search", {"query": "x", "colour": 1}), sly=("run_readonly_sql", {"sql": TWO})
    )
    reply = await agent_runner.answer(plan=[bad, plan(first=TWO)], choice=[choice("answer")])
    assert reply.answered
    assert reply.rounds == 2
    earlier = agent_runner.chat.prompts["Plan"][1]
    assert "colour" in earlier
    assert "run_readonly_sql is no search tool" in earlier


async def test_a_question_is_answered_in_its_language(agent_runner: AgentRunner) -> None:
    question = "Welches Rezept passt zu einem kalten Abend?"
    await agent_runner.answer(question)
    asked = agent_runner.chat.prompts["Composition"][0]
    assert question in asked
    assert "in the language of the question" in " ".join(asked.split())


async def test_every_step_is_shown_in_its_order(agent_runner: AgentRunner) -> None:
    await agent_runner.answer()
    steps = (
        "Context",
        "Parts",
        "Round 1",
        "first: Trying",
        "best: ",
        "Choice",
        "next: answer",
        "Answer",
    )
    places = [agent_runner.shown.index(step) for step in steps]
    assert places == sorted(places)
    assert "first: 2 rows" in agent_runner.shown


async def test_a_count_is_answered_without_a_record(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(
        "How many recipes are there?",
        plan=[plan(count=COUNT)],
        composition=[composition("There are 8 recipes.")],
    )
    assert (reply.answered, reply.records, reply.doubts) == (True, (), ())


async def test_the_parts_are_planned_side_by_side(agent_runner: AgentRunner) -> None:
    await agent_runner.answer()
    assert "what goes into it" in agent_runner.chat.prompts["Plan"][0]
    assert "its taste" in agent_runner.chat.prompts["Plan"][0]


@pytest.mark.parametrize(
    "kind", [pytest.param("Recipe", id="known kind"), pytest.param("Poem", id="unknown kind")]
)
async def test_a_record_that_no_result_holds_is_dropped_and_said(
    agent_runner: AgentRunner, kind: str
) -> None:
    reply = await agent_runner.answer(
        composition=[composition("Cook.", ("Recipe", 1), (kind, 7_000), (kind, 7_000))]
    )
    assert [record.id for record in reply.records] == [1]
    assert [entry.what for entry in reply.dropped] == [f"{kind} 7000"]
    assert f"{kind} 7000: in no result" in reply.as_text()


async def test_a_record_of_the_graph_that_no_result_held_is_dropped_too(
    agent_runner: AgentRunner,
) -> None:
    reply = await agent_runner.answer(
        plan=[plan(first=TWO)], composition=[composition("x", ("Recipe", 1), ("Recipe", 8))]
    )
    assert [entry.what for entry in reply.dropped] == ["Recipe 8"]


async def test_an_answer_of_invented_records_alone_is_withheld(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(
        composition=[composition("Cook the Moon Soup.", ("Recipe", 999))]
    )
    assert not reply.answered
    assert "Moon Soup" not in reply.as_text()
    assert "withheld" in reply.text


async def test_a_reference_within_the_text_is_named_by_the_graph(agent_runner: AgentRunner) -> None:
    text = "[recipe 2] first, then [Id 1] or [Recipe 999], see [note 3]."
    reply = await agent_runner.answer(composition=[composition(text, ("Recipe", 2))])
    assert reply.text == (
        "Hummus first, then Ratatouille or (a record that is in no result), see [note 3]."
    )
    assert [entry.what for entry in reply.dropped] == ["Recipe 999"]


async def test_a_number_that_no_result_holds_is_to_be_checked(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(
        composition=[composition("1 of 31,415 dishes.", ("Recipe", 1))]
    )
    assert reply.doubts == ("The number 31,415 is in no result.",)


async def test_quoted_words_that_no_result_holds_are_to_be_checked(
    agent_runner: AgentRunner,
) -> None:
    text = 'Not "Moon Soup", rather "Ratatouille".'
    reply = await agent_runner.answer(composition=[composition(text, ("Recipe", 1))])
    assert reply.doubts == ("The words 'Moon Soup' are in no result.",)


async def test_a_text_that_names_no_record_is_to_be_checked(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(composition=[composition("Cook the Moon Soup.")])
    assert [doubt for doubt in reply.doubts if "names no record" in doubt]


async def test_reasons_name_records_by_the_graph_too(agent_runner: AgentRunner) -> None:
    composition_json = json.loads(composition("x", ("Recipe", 1)))
    composition_json["records"][0]["reason"] = "Milder than [Recipe 2] and 77 others."
    reply = await agent_runner.answer(composition=[json.dumps(composition_json)])
    assert reply.records[0].reason == "Milder than Hummus and 77 others."
    assert reply.doubts == ("The number 77 is in no result.",)


async def test_what_the_cap_on_rows_cuts_is_read_in_further_calls(
    session: Session, fake: FakeOpenAI, address: str
) -> None:
    capped = replace(session, limits=replace(session.limits, top=2, top_expanded=2))
    agent_runner = AgentRunner(create_server(Settings(), session=capped), fake, address)
    cited = [("Recipe", number) for number in (1, 2, 3)]
    strategies = plan(low=f"{TWO_OF} WHERE r.Number <= 2", high=f"{TWO_OF} WHERE r.Number > 2")
    reply = await agent_runner.answer(plan=[strategies], composition=[composition("x", *cited)])
    assert [record.id for record in reply.records] == [1, 2, 3]


async def test_a_record_that_the_question_keeps_out_is_to_be_checked(
    agent_runner: AgentRunner,
) -> None:
    reply = await agent_runner.answer(
        "I have already cooked Ratatouille, something like it please",
        understanding=[understanding("its taste", must_not=["ratatouille"])],
    )
    assert len(reply.doubts) == 1
    assert "Ratatouille may be something that the question excludes" in reply.doubts[0]


async def test_a_record_is_listed_once(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(composition=[composition("x", ("Recipe", 1), ("RECIPE", 1))])
    assert [record.id for record in reply.records] == [1]


async def test_a_repair_is_shown_with_what_failed(agent_runner: AgentRunner) -> None:
    await agent_runner.answer(plan=[plan(arrow=WRONG_ARROW, bad=UNKNOWN_COLUMN)])
    assert "arrow failed: wrong_arrow" in agent_runner.shown
    assert "arrow repaired: turned_arrow" in agent_runner.shown
    assert "arrow: ok, 5 rows" in agent_runner.shown
    assert "bad failed: unknown_column" in agent_runner.shown


async def test_expanding_brings_records_that_can_be_named(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(
        plan=[plan(first=TWO)],
        choice=[choice("expand", "first")],
        composition=[composition("x", ("Recipe", 8))],
    )
    assert [record.id for record in reply.records] == [8]
    assert "8 rows, 6 of them new" in agent_runner.shown
    assert len(reply.executions) == 2


async def test_without_a_known_id_the_best_execution_is_expanded(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(
        plan=[plan(first=TWO)],
        choice=[choice("expand", "nothing")],
        composition=[composition("x", ("Recipe", 8))],
    )
    assert [record.id for record in reply.records] == [8]


async def test_a_failed_execution_is_not_expanded_and_the_answer_comes_all_the_same(
    agent_runner: AgentRunner,
) -> None:
    reply = await agent_runner.answer(
        plan=[plan(first=TWO, bad=UNKNOWN_COLUMN)], choice=[choice("expand", "bad")]
    )
    assert "not expanded" in agent_runner.shown
    assert reply.answered


async def test_another_round_knows_what_ran_and_what_is_missing(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(
        plan=[plan(empty=EMPTY), plan(first=TWO)],
        choice=[choice("plan", missing="a dish that exists"), choice("answer")],
    )
    assert (reply.rounds, len(reply.executions)) == (2, 2)
    second = agent_runner.chat.prompts["Plan"][1]
    assert "No such dish" in second
    assert "a dish that exists" in second


async def test_after_three_rounds_the_answer_is_written_from_what_there_is(
    agent_runner: AgentRunner,
) -> None:
    reply = await agent_runner.answer(choice=[choice("plan", missing="more")])
    assert reply.rounds == 3
    assert reply.answered
    lefts = [re.search(r"strategies left: (\d)", choice) for choice in _choices(agent_runner)]
    assert [match and match[1] for match in lefts] == ["2", "1", "0"]


def _choices(agent_runner: AgentRunner) -> list[str]:
    return agent_runner.chat.prompts["Choice"]


async def test_no_round_is_planned_once_the_tokens_are_used(
    agent_runner: AgentRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_module, "MAX_TOKENS", 1)
    reply = await agent_runner.answer(choice=[choice("plan", missing="more")])
    assert reply.rounds == 1
    assert reply.answered


async def test_when_every_strategy_fails_the_model_plans_again_with_the_reasons(
    agent_runner: AgentRunner,
) -> None:
    reply = await agent_runner.answer(plan=[plan(bad=UNKNOWN_COLUMN), plan(first=TWO)])
    assert reply.rounds == 2
    assert reply.answered
    assert len(agent_runner.chat.prompts["Choice"]) == 1
    assert "unknown_column" in agent_runner.chat.prompts["Plan"][1]


async def test_when_nothing_is_found_the_model_words_no_answer(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(
        plan=[plan(empty=EMPTY)], choice=[choice("answer", missing="such a dish")]
    )
    assert (reply.answered, reply.records) == (False, ())
    assert reply.missing == ("such a dish",)
    assert "Composition" not in agent_runner.chat.prompts


async def test_what_the_graph_does_not_hold_is_said(agent_runner: AgentRunner) -> None:
    gap = "The graph holds no nutritional values."
    reply = await agent_runner.answer(
        "Something warm with few calories",
        understanding=[understanding("its warmth", unavailable=[gap])],
    )
    assert gap in reply.missing
    assert "nutritional values" in agent_runner.chat.prompts["Composition"][0]


async def test_a_plan_that_the_server_refuses_goes_back_once_with_the_error(
    agent_runner: AgentRunner,
) -> None:
    twice = json.loads(plan(same=TWO))
    twice["strategies"] *= 2
    reply = await agent_runner.answer(plan=[json.dumps(twice), plan(first=TWO)])
    assert reply.answered
    assert reply.rounds == 1
    assert "the plan was refused" in agent_runner.shown
    assert "Two strategies have the same id 'same'" in agent_runner.chat.prompts["Plan"][1]


async def test_a_plan_that_is_refused_twice_is_an_error(agent_runner: AgentRunner) -> None:
    message = await agent_runner.raised(plan=['{"strategies": []}'])
    assert "run_strategies" in message
    assert len(agent_runner.chat.prompts["Plan"]) == 2


@pytest.mark.parametrize(
    ("prompt", "shape"),
    [
        pytest.param("reformulate_question", Understanding, id="reformulate_question"),
        pytest.param("plan_strategies", Plan, id="plan_strategies"),
        pytest.param("select_strategy", Choice, id="select_strategy"),
        pytest.param("compose_answer", Composition, id="compose_answer"),
    ],
)
def test_a_prompt_names_every_field_that_the_agent_reads(
    prompt: str, shape: type[BaseModel]
) -> None:
    body = prompt_text(prompt)
    member_names = set(re.findall(r'"(\w+)": ', body))
    schema = shape.model_json_schema()
    inner = [definition["properties"] for definition in schema.get("$defs", {}).values()]
    assert {name for fields in (schema["properties"], *inner) for name in fields} <= member_names


async def test_what_the_server_does_not_have_is_a_sentence(agent_runner: AgentRunner) -> None:
    async with Client(agent_runner.server) as client:
        tools = ToolClient(client)
        with pytest.raises(ConnectionLostError, match="moviegraph://nothing"):
            await tools.read("moviegraph://nothing")


async def test_nothing_that_steers_a_terminal_is_printed(agent_runner: AgentRunner) -> None:
    await agent_runner.answer(understanding=[understanding("red \x1b[31m alert\x07")])
    assert "\x1b" not in agent_runner.shown
    assert "\x07" not in agent_runner.shown
