import pytest

from moviegraph.errors import SettingsError
from moviegraph.http.scopes import ALL, READ, SQL
from moviegraph.http.token_file import TokenLine, digest_of, fresh_token, read_token_lines

ONE, TWO = digest_of("one"), digest_of("two")


@pytest.mark.parametrize(
    ("text", "expected_lines"),
    [
        pytest.param(f"ann {ONE} {READ}", [TokenLine("ann", ONE, (READ,))], id="one scope"),
        pytest.param(f"ann {ONE} {SQL},{READ}", [TokenLine("ann", ONE, ALL)], id="commas"),
        pytest.param(f"ann\t{ONE}  {READ} , {SQL}", [TokenLine("ann", ONE, ALL)], id="blanks"),
        pytest.param(
            f"ann {ONE.upper()} {READ} # hers", [TokenLine("ann", ONE, (READ,))], id="capitals"
        ),
        pytest.param(
            f"\r\n# who\r\nann {ONE} {READ}\r\n\r\nann {TWO} {READ}\r\n",
            [TokenLine("ann", ONE, (READ,)), TokenLine("ann", TWO, (READ,))],
            id="two tokens of one name",
        ),
        pytest.param("", [], id="nobody"),
    ],
)
def test_a_file_is_read(text: str, expected_lines: list[TokenLine]) -> None:
    assert list(read_token_lines(text, "tokens")) == expected_lines


@pytest.mark.parametrize(
    ("text", "expected_message"),
    [
        pytest.param(f"ann {ONE}", "tokens, line 1: the scope is missing", id="no scope"),
        pytest.param(f"\nann {ONE} sql", "tokens, line 2: 'sql' is not a scope", id="scope"),
        pytest.param(f"ann {ONE} {SQL}", f"line 1: {SQL} also requires {READ}", id="sql alone"),
        pytest.param(f"ann secret {READ}", "the second field is not a SHA-256 digest", id="token"),
        pytest.param("ann", "the second field is not a SHA-256 digest", id="name alone"),
        pytest.param(f"{ONE} {READ}", "the second field is not a SHA-256", id="no name"),
        pytest.param(f"a/b {ONE} {READ}", "a name must have 1 to 64", id="name"),
        pytest.param(f"a {ONE} {READ}\nb {ONE} {READ}", "line 2: duplicate digest", id="twice"),
    ],
)
def test_a_wrong_line_is_named_and_not_shown(text: str, expected_message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_token_lines(text, "tokens")
    assert expected_message in caught.value.message
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"


def test_a_line_is_written_as_it_is_read() -> None:
    line = TokenLine("ann", digest_of(fresh_token()), ALL)
    assert read_token_lines(line.written(), "tokens") == (line,)


def test_no_two_tokens_are_the_same() -> None:
    assert len({fresh_token() for _ in range(100)}) == 100
    assert fresh_token().startswith("moviegraph_")
