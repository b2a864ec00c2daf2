"""When one name is surely meant by another: folded spelling, plural, or a small edit distance."""

from collections.abc import Iterable

SHORTEST_TYPO = 4


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the one known name that a misspelt one must mean, or None."""
    candidates = list(dict.fromkeys(known))
    if any(_forms(each) & _forms(name) for each in candidates):
        return same_word(name, candidates)
    if len(name) < SHORTEST_TYPO:
        return _lacking_a_letter(name, candidates)
    wanted = fold_name(name)
    most = 1 if len(wanted) <= 4 else 2
    near = [each for each in candidates if abs(len(fold_name(each)) - len(wanted)) <= most]
    ranked = sorted((distance(wanted, fold_name(each)), each) for each in near)
    if not ranked or ranked[0][0] > most:
        return None
    clear = len(ranked) == 1 or ranked[1][0] > ranked[0][0]
    return ranked[0][1] if clear else None


def _lacking_a_letter(name: str, known: list[str]) -> str | None:
    """Return the one known name of four letters of which three are there: Nam is Name."""
    near = [each for each in known if len(each) == SHORTEST_TYPO > len(name) > 2]
    near = [each for each in near if is_one_edit(name.lower(), each.lower())]
    return near[0] if len(near) == 1 else None


def same_word(name: str, known: Iterable[str]) -> str | None:
    """Return the one known name that differs in case, underscores or number only, or None."""
    same = [each for each in dict.fromkeys(known) if _forms(each) & _forms(name)]
    return same[0] if len(same) == 1 else None


def is_one_edit(left: str, right: str) -> bool:
    """Whether one letter is wrong, missing, too many, or swapped with its neighbour."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    index = next(
        (n for n, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), -1
    )
    if index < 0:
        return True
    swapped = (
        left[index + 1 : index + 2] + left[index : index + 1] + left[index + 2 :] == right[index:]
    )
    return (
        swapped
        or right[index + 1 :] in (left[index + 1 :], left[index:])
        or left[index + 1 :] == right[index:]
    )


def fold_name(name: str) -> str:
    """Return a name without case, underscores, dashes and blanks."""
    return "".join(char for char in name.lower() if char not in "_- ")


def _forms(name: str) -> set[str]:
    """Return a folded name with its possible singulars."""
    word = fold_name(name)
    forms = {word}
    if word.endswith("s") and len(word) > 3:
        forms.add(word[:-1])
    if word.endswith("es") and len(word) > 4:
        forms.add(word[:-2])
    if word.endswith("ies") and len(word) > 4:
        forms.add(word[:-3] + "y")
    return forms


def distance(left: str, right: str) -> int:
    """Return the edit distance, a swap of neighbours counting once."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
