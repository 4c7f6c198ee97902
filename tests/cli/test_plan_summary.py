"""A plan in lines: the answer first, what is not known said to be so, shell characters quoted."""

import io

import pytest

from withhold.cli.plan_summary import show_plan
from withhold.contracts.plan_record import (
    BudgetTold,
    ColumnTold,
    MethodTold,
    PlanRecord,
    PowerTold,
    PriceTold,
    RawTold,
    RoleTold,
    UtilityTold,
)
from withhold.contracts.quantity import Quantity


def record(**changes):
    columns = [ColumnTold(column=f"c{i}", information=0.1, low=0.05, balanced_accuracy=0.7) for i in range(9)]
    together = Quantity(value=0.3, low=0.2, high=0.4, kind="lower_bound")
    base = PlanRecord(
        outlook="decides",
        statement="Enough.",
        sensitive=["sex"],
        utility=[],
        n=900,
        effort="quick",
        level=0.95,
        seed=0,
        raw={
            "sex": RawTold(
                entropy=0.69, classes=2, together=together, balanced_accuracy=0.8, chance=0.5, columns=columns
            )
        },
        budget=BudgetTold(nats=0.05, advantage=0.1, balanced_accuracy=0.66, chance=0.5),
        utility_alone=None,
        power=PowerTold(
            rows=900, detection_limit=0.02, rows_needed=800, decidable_budget=0.04, chance=0.9, entropy=0.69
        ),
        price=None,
        methods=[MethodTold(method="deepminmax", applies=True)],
        audit_seconds=40.0,
        fit_seconds=None,
        machine=1.0,
        command=["withhold", "run", "my data.csv", "--sensitive", "sex"],
    )
    return base.model_copy(update=changes)


def shown(**changes):
    stream = io.StringIO()
    show_plan(record(**changes), stream)
    return stream.getvalue().splitlines()


def test_answer_first_command_last():
    lines = shown()
    assert lines[0] == "GO AHEAD: Enough."
    assert lines[-1].endswith("withhold run 'my data.csv' --sensitive sex")
    assert len(lines) <= 25


def test_frequencies_and_the_rest_counted():
    text = "\n".join(shown())
    assert "right at most 66 times in 100 where guessing gives 50" in text
    assert "an advantage of 0.1 is 0.05 nat" in text
    assert "and 4 more columns" in text
    assert "without the fit: how long that takes is not known" in text


def test_nothing_certain_is_said_to_be_nothing():
    nothing = RawTold(entropy=0.69, classes=2, together=Quantity(value=0.0, low=0.0, high=0.01, kind="lower_bound"))
    assert any("tell nothing certain about 'sex'" in line for line in shown(raw={"sex": nothing}))


def test_a_column_that_is_read_better_than_all_is_explained():
    (raw,) = record().raw.values()
    assert not any("cannot tell more than all" in line for line in shown())
    better = raw.columns[0].model_copy(update={"information": 0.31})
    (line,) = [line for line in shown(raw={"sex": raw.model_copy(update={"columns": [better]})}) if "reading" in line]
    assert line.strip().startswith("(each line is a reading of its own, with an error")
    # Where all together tell nothing for certain a column may, and is explained even below their upper end.
    nothing = raw.model_copy(update={"together": Quantity(value=0.02, low=-0.01, high=0.4, kind="lower_bound")})
    assert any("may be read better" in line for line in shown(raw={"sex": nothing}))


def test_all_attributes_together_have_a_line_of_their_own():
    (raw,) = record().raw.values()
    both = {"sex": raw, "race": raw, "joint": raw.model_copy(update={"columns": []})}
    lines = shown(sensitive=["sex", "race"], raw=both)
    assert any(line.startswith("today     the columns tell 'sex': right 80") for line in lines)
    assert any(line.startswith("today     the columns tell sex and race together: right 80") for line in lines)


@pytest.mark.parametrize("limit", [None])
def test_no_limit(limit):
    power = record().power.model_copy(update={"detection_limit": limit})
    assert any("finds not even the largest test leak" in line for line in shown(power=power))


def test_budgets_of_their_own_stand_one_to_a_line():
    own = {name: BudgetTold(nats=nats) for name, nats in (("sex", 0.03), ("race", 0.05), ("joint", 0.08))}
    lines = shown(sensitive=["sex", "race"], budgets=own, decided_by=["race"])
    assert "budgets   sex: 0.03 nat" in lines
    assert "          sex and race together: 0.08 nat" in lines
    assert any("the budget of 'race' needs about 800 rows" in line for line in lines)


def test_columns_that_are_left_out_are_named_but_for_those_that_were_asked_for():
    roles = [("id", "dropped", "it looks like an identifier"), ("x", "feature", ""), ("y", "dropped", "as asked")]
    found = [RoleTold(column=name, role=role, why=why) for name, role, why in roles]
    assert "left out  'id' (it looks like an identifier); --keep COL keeps one" in shown(columns=found)
    assert not any(line.startswith("left out") for line in shown(columns=found[1:]))


@pytest.mark.parametrize(
    ("known", "said"), [(0.0001, "price     none: the other"), (0.2, "price     of the 0.200 nat")]
)
def test_nothing_has_no_price(known, said):
    told = Quantity(value=0.0, low=0.0, high=0.01, kind="lower_bound")
    alone = UtilityTold(utility=["u"], told=told, handed_over=True, holds=0.01)
    price = PriceTold(known=known, least=0.0, least_low=0.0, reached=0.0)
    lines = shown(utility=["u"], utility_alone=alone, price=price)
    assert any(line.startswith(said) for line in lines)
    assert not any("loses 0.000 or more" in line for line in lines)
    price = price.model_copy(update={"least": 0.1, "least_low": 0.08, "known": 0.2})
    lines = shown(utility=["u"], utility_alone=alone, price=price)
    assert any("loses 0.080 or more (95 %); a release that loses 0.000 is known" in line for line in lines)


def test_the_time_names_what_is_fitted_and_chosen():
    def time(**changes):
        return next(line for line in shown(**changes) if line.startswith("time"))

    several = time(fit_seconds=200.0, fits=5)
    assert several.endswith("about 4 minutes of one processor core on this machine (3 minutes for 5 fits)")
    chosen = time(fit_seconds=60.0, choosing_seconds=120.0)
    assert "(2 minutes for choosing a method and 1 minute for the fit)" in chosen
    assert chosen.startswith("time      about 4 minutes")
    assert "without choosing a method and the fit" in time(choosing_seconds=None)
