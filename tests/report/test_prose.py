from report import records
from withhold.report import prose
from withhold.report.glossary import GLOSSARY


def joined(audit, run=None) -> str:
    return " ".join(prose.limits(audit, run))


def test_limits_follow_what_was_not_done() -> None:
    bare = joined(records.minimal())
    assert "Linkage was not tested" in bare
    assert "original data were not given" in bare
    assert "not known whether the sanitiser" in bare
    full = joined(records.crowded().audit)
    assert "Linkage was not tested" not in full
    assert "original data were not given" not in full
    assert "not known whether the sanitiser" not in full


def test_where_nothing_is_hidden_nothing_was_planted() -> None:
    text = joined(records.audit(sensitive={}))
    assert "nothing was attacked" in text
    assert "planted" not in text
    assert "planted" in joined(records.audit())


def test_images_are_more_than_pixels() -> None:
    assert "beside their pixels" in joined(records.audit(panel=["logistic", "cnn"]))
    assert "beside their pixels" not in joined(records.audit(panel=["logistic"]))


def test_untried_attackers_are_a_limit_unless_any_attacker_is_covered() -> None:
    assert "not tried" in joined(records.audit())
    assert "not tried" not in joined(records.audit(claim="any_attacker"))


def test_method_without_a_guarantee_is_a_limit() -> None:
    record = records.run()
    bare = record.model_copy(update={"method": record.method.model_copy(update={"guarantee": None})})
    assert "promises nothing" in joined(bare.audit, bare)
    assert "promises nothing" not in joined(record.audit, record)


def test_guarantee_prints_all_its_terms() -> None:
    item = records.run().method.guarantee
    text = str(prose.guarantee(item))
    for words in (item.claim, item.against, *item.assumptions, item.reference, "checked"):
        assert words in text


def test_secrets_are_named_not_printed() -> None:
    text = str(prose.settings(records.run()))
    assert "deadbeef" not in text
    assert "noise key" in text


def test_provenance_tells_fit_and_audit_rows_apart() -> None:
    rows = dict(prose.provenance(records.audit(), None))
    assert "fitted on 32,561" in rows["Rows"]
    assert "never saw 16,281" in rows["Rows"]
    assert rows["Seed"] == "0"


def test_glossary_is_sorted_and_explains_the_words_of_the_page() -> None:
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.lower)
    assert {"Nat", "Attacker", "Linkability"} <= set(GLOSSARY)
