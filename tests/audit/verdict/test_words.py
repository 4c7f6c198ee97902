import numpy as np
import pandas as pd

from withhold.audit.beside import Recipient
from withhold.audit.leakage.assessment import Assessment
from withhold.audit.leakage.evidence import Evidence
from withhold.audit.leakage.gaps import by_member
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.request import read_request
from withhold.audit.verdict.words import cause_findings, threat_model
from withhold.contracts.audit_record import ControlResult, SensitiveResult
from withhold.contracts.quantity import Quantity
from withhold.contracts.threats import SubjectResult
from withhold.contracts.wording import on_command_line


def assessment(failures):
    none = Quantity(value=0.0, kind="lower_bound")
    result = SensitiveResult(kind="categorical", entropy=0.7, leakage=none, leakage_total=none, percent_of_entropy=0.0)
    return Assessment(result, Evidence(none, True, 1.0, True), found(failures))


def found(failures):
    nothing = np.zeros((4, 1))
    return LogRatios(np.arange(4), ("mlp",), nothing, np.zeros(1), 1.0, nothing, failures=failures)


def test_threat_model_says_what_the_recipient_has():
    table = pd.DataFrame({"z": np.arange(8.0), "s": list("ab" * 4), "u": [0, 1] * 4})
    request = read_request(table, "s", "u", None, None, None, None)
    assert "also has u" in " ".join(threat_model(request, True))
    assert "does not have u" in " ".join(threat_model(request, False))
    assert "unknown whether the sanitiser saw" in " ".join(threat_model(request, True))
    known = read_request(table, "s", "u", None, None, np.arange(8) < 4, None)
    assert "unknown whether" not in " ".join(threat_model(known, True))


def test_threat_model_names_every_further_thing_that_was_attacked():
    table = pd.DataFrame({"z": np.arange(8.0), "s": list("ab" * 4)})
    alone = " ".join(threat_model(read_request(table, "s", None, None, None, None, None), False))
    assert "has neither the sanitiser nor an earlier release" in alone
    release, further = table[["z"]], table[["z"]] + 1
    request = read_request(
        release, table["s"], None, None, None, None, None,
        Recipient(also={"may.csv": further}, surfaces={"decoded table": further}, redrawn=[further]),
    )  # fmt: skip
    lines = " ".join(threat_model(request, False))
    assert "also has may.csv of the same records" in lines
    assert "what can be made of the release: decoded table" in lines
    assert "has the sanitiser (not its key)" in lines
    assert "neither" not in lines


def test_attackers_that_failed_alike_share_a_finding():
    named = cause_findings("s", "", assessment({"mlp": "too few", "qda": "too few", "pairs": "singular"}))
    assert [f.code for f in named] == ["attacker_failed", "attacker_failed"]
    assert any("mlp, qda" in f.text for f in named)
    assert {f.severity for f in named} == {"warning"}


def test_one_that_failed_in_several_places_is_one_member_and_each_place_is_named():
    one = assessment({"mlp (by subject)": "too few", "mlp@8": "too few", "mlp": "too few"})
    assert by_member(one.failures) == {
        "mlp": "too few (on the table of subjects, the release with the number in 8 bins and the release)"
    }
    (named,) = cause_findings("s", "", one)
    assert "mlp could not be fitted against 's' on the table of subjects" in named.text


def test_utility_that_reveals_is_critical():
    (found,) = cause_findings("s", "utility_reveals", assessment({}))
    assert (found.severity, found.remedy) == ("critical", "Leave it out of the release, or allow more.")
    with on_command_line():
        (found,) = cause_findings("s", "utility_reveals", assessment({}))
    assert found.remedy == "Leave it out of the release (--drop-utility), or allow more."


def test_a_release_that_tells_as_much_as_the_raw_data_is_named():
    one = assessment({})
    raw = ControlResult(leakage=Quantity(value=0.074, low=0.05, high=0.1, kind="lower_bound"))
    left = Quantity(value=0.069, low=0.045, high=0.106, kind="lower_bound")
    one.result.controls["raw"] = raw
    codes = [f.code for f in cause_findings("race", "", one)]
    assert codes == []  # nothing is left in this release
    told = Assessment(one.result.model_copy(update={"leakage": left}), one.evidence, found({}))
    assert [f.code for f in cause_findings("race", "", told)] == ["no_reduction"]


def test_subjects_that_tell_more_than_records_are_named():
    one = assessment({})
    leak = Quantity(value=0.02, low=0.01, high=0.03, kind="lower_bound")
    for low, expected in ((0.3, ["subjects_tell_more"]), (0.02, [])):
        whole = SubjectResult(
            leakage=Quantity(value=0.4, low=low, kind="lower_bound"), subjects=50, rows_per_subject=8.0
        )
        result = one.result.model_copy(update={"leakage_total": leak, "subject_level": whole})
        assert [f.code for f in cause_findings("s", "", Assessment(result, one.evidence, found({})))] == expected
