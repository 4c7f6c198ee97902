"""FIXTURES: records built by hand for the tests of the report. The numbers are invented; no audit produced them."""

from withhold.contracts.audit_record import (
    AttackerResult,
    AuditRecord,
    ColumnResult,
    ControlResult,
    FairnessResult,
    GroupScores,
    Histogram,
    PlantResult,
    Score,
    SensitiveResult,
    Splits,
    UtilityResult,
)
from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.disclosure_record import DisclosureRecord, DisclosureResult
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.image_record import ImageComparison, MeanImages
from withhold.contracts.quantity import Quantity
from withhold.contracts.run_record import DataSummary, MethodSummary, RunRecord
from withhold.contracts.threats import LinkageResult, MembershipResult

PANEL = ("logistic", "qda", "boosting", "mlp", "neighbours", "screened_pairs")
HOSTILE = "<script>alert('x')</script>&\"name\" $\\frac{1}{2}$ 年収（税引前）"


def q(value: float, half: float = 0.006, attacker: str | None = None, kind: str = "lower_bound", **more) -> Quantity:
    return Quantity(
        value=value, low=value - half, high=value + half, kind=kind, level=0.95, n=13029, attacker=attacker, **more
    )


def sensitive(
    leak: float = 0.021, raw: float = 0.268, budget: float | None = 0.03, panel: tuple[str, ...] = PANEL, **more
) -> SensitiveResult:
    best = panel[3 % len(panel)]
    sizes = [budget or 0.03, 0.01, 0.06]
    fields = {
        "kind": "categorical",
        "classes": 2,
        "entropy": 0.635,
        "leakage": q(leak * 0.93, attacker=best),
        "leakage_given_utility": q(leak * 0.4),
        "leakage_total": q(leak, attacker=best),
        "leakage_weak": q(leak * 0.55),
        "percent_of_entropy": 100 * leak / 0.635,
        "balanced_accuracy": 0.592,
        "chance": 0.5,
        "auc": 0.627,
        "tpr_at_1pct_fpr": 0.021,
        "verdict": None if budget is None else "pass" if leak + 0.006 <= budget else "fail",
        "detection_limit": 0.028,
        "recovery": 0.86,
        "plants": [
            PlantResult(form=form, size=size, found=q(size * share, 0.005, kind="estimate"), detected=size > 0.02)
            for size in sizes
            for form, share in (("column", 0.97), ("dense", 0.88), ("interaction", 0.71))
        ],
        "attackers": {
            name: AttackerResult(
                leakage=q(leak * (1.0 if name == best else 0.9 / (1 + i)), 0.004 + 0.001 * (i % 3)),
                balanced_accuracy=0.592 - 0.01 * i,
                auc=0.627 - 0.01 * i,
                tpr_at_1pct_fpr=0.021 - 0.001 * i,
                inputs="raw and whitened" if i % 2 else "ordinal",
                seconds=3.1 + 8 * i,
            )
            for i, name in enumerate(panel)
        },
        "controls": {
            "raw": ControlResult(leakage=q(raw, 0.009), balanced_accuracy=0.857),
            "shuffled": ControlResult(leakage=q(-0.0012, 0.003), balanced_accuracy=0.497),
            "utility_only": ControlResult(leakage=q(0.019, 0.004), balanced_accuracy=0.583),
            "utility_prediction": ControlResult(leakage=q(0.0205, 0.004), balanced_accuracy=0.583),
        },
        "groups": {"Female": q(leak * 1.2), "Male": q(leak * 0.9)},
        "parts": {"fit": q(leak * 0.8), "audit": q(leak)},
    }
    return SensitiveResult(**{**fields, **more})


def column(i: int, cells: int) -> ColumnResult:
    peak = (i % 3 + 1) * cells / 5
    raw = [int(14000 * 2.718 ** (-abs(k - peak) * (1.9 if cells > 8 else 1.5) * 4 / cells)) for k in range(cells)]
    raw = [v // 400 if cells > 5 and k == cells - 1 else v for k, v in enumerate(raw)]
    release = [int(v * (0.92 + 0.09 * ((k + i) % 3 - 1)) + 40) for k, v in enumerate(raw)]
    raw_shown = [None if v < 10 else v for v in raw]
    return ColumnResult(
        kind="categorical" if cells <= 8 else "numeric",
        retention=0.93 - 0.013 * i if i < 60 else 0.0,
        own_information=max(0.0, 0.81 - 0.014 * i),
        histogram=Histogram(
            labels=[f"level {k}" if cells <= 8 else f"{k * 10} to {k * 10 + 10}" for k in range(cells)],
            raw=raw_shown,
            release=release,
        ),
    )


ADULT = {
    "age": 16,
    "workclass": 8,
    "education": 16,
    "marital-status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "capital-gain": 7,
    "capital-loss": 7,
    "hours-per-week": 14,
    "native-country": 12,
}


CONTINUOUS = {
    "kind": "continuous", "classes": None, "entropy": 2.7, "balanced_accuracy": None, "chance": None, "auc": None,
    "tpr_at_1pct_fpr": None, "groups": {}, "detection_limit": None, "recovery": None,
}  # fmt: skip


def audit(verdict: str | None = "pass", leak: float = 0.021, budget: float | None = 0.03, **more) -> AuditRecord:
    fields = {
        "verdict": verdict,
        "title": "Census extract 1994",
        "created": "2026-03-02T14:05:09+00:00",
        "release": "sha256:b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184",
        "statement": f"No attacker of this panel learned more than {leak + 0.006:.3f} nat (95 %). A leak of 0.028 nat "
        "in these forms would have been found. This is not an upper bound on leakage.",
        "budget": budget,
        "n": 13029,
        "level": 0.95,
        "panel": list(PANEL),
        "effort": "standard",
        "splits": Splits(fit=32561, audit=16281, folds=5, source="column"),
        "sensitive": {"sex": sensitive(leak, budget=budget, **({"verdict": verdict} if verdict else {}))},
        "utility": {
            "income": UtilityResult(
                metric="accuracy",
                score=Score(raw=0.872, release=0.834),
                chance=0.761,
                predictor="boosting",
                groups={
                    "sex": GroupScores(
                        levels={"Female": Score(raw=0.93, release=0.91), "Male": Score(raw=0.85, release=0.81)},
                        average=Score(raw=0.89, release=0.86),
                        worst=Score(raw=0.85, release=0.81),
                    )
                },
            )
        },
        "columns": {name: column(i, cells) for i, (name, cells) in enumerate(ADULT.items())},
        "mean_retention": 0.64,
        "mean_own_information": 0.57,
        "fairness": {
            "income": {
                "sex": FairnessResult(
                    demographic_parity_difference=Score(raw=0.181, release=0.094),
                    equal_opportunity_difference=Score(raw=0.082, release=0.031),
                    equalized_odds_difference=Score(raw=0.088, release=0.047),
                )
            }
        },
        "findings": [
            Finding(
                code="fitted_without_utility",
                severity="info",
                text="The sanitiser was fitted without the utility attribute 'income'; it is copied into the release.",
            ),
            Finding(
                code="rare_levels_pooled",
                severity="warning",
                text="26 levels of 'native-country' with fewer than 10 records each were pooled into “other”.",
                column="native-country",
            ),
        ],
        "threat_model": [
            "The recipient has the whole release, in the order in which it is handed over.",
            "The recipient also has income.",
            "The recipient knows the sensitive attribute of many released records and learns from them.",
            "The recipient has neither the sanitiser nor an earlier release of the same records.",
        ],
        "seed": 0,
        "seconds": 214.0,
    }
    return AuditRecord(**{**fields, **more})


def run(record: AuditRecord | None = None, **more) -> RunRecord:
    steps = 60
    estimate = [0.19 * 0.93**i + 0.019 for i in range(steps)]
    fields = {
        "version": "0.1.0",
        "created": "2026-03-02T14:05:09+00:00",
        "data": DataSummary(
            rows=48842,
            columns=14,
            digest="hmac-sha256:9f2b7c1a5d0e4b8c6a3f1d2e7b9c0a4f8e6d5c3b2a1908f7e6d5c4b3a2918070",
            sensitive=["sex"],
            utility=["income"],
            dropped=["fnlwgt"],
        ),
        "method": MethodSummary(
            name="DeepMinMax",
            settings={
                "budget": 0.018,
                "noise": 0.7,
                "hidden": [192, 192],
                "epochs": 60,
                "preset": None,
                "use_utility": False,
                "noise_key": "deadbeefdeadbeef",
            },
            changed=["budget", "epochs", "noise_key"],
            output="table",
            guarantee=Guarantee(
                claim="None: the estimate that training minimises is neither an upper nor a lower bound on leakage.",
                against="nobody in particular",
                assumptions=("the adversary of the game is as strong as a recipient",),
                reference="deepminmax2024",
                maturity="checked",
                holds=None,
            ),
            diagnostics={"effective_rank": 21.4, "noise_to_spread": 0.42, "game_estimate": 0.0193},
            curves={
                "game_estimate": estimate,
                "retention_loss": [1.4 * 0.97**i + 0.35 for i in range(steps)],
                "adversary_loss": [0.44 + 0.18 * (1 - 0.95**i) for i in range(steps)],
            },
            fit_seconds=93.0,
        ),
        "audit": record or audit(),
        "noise": "keyed, the first draw with this key",
        "possible": bounds(),
        "files": {"release": "share/release.parquet", "sanitizer": "private/sanitizer.withhold"},
        "digests": {"release": "b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184"},
    }
    return RunRecord(**{**fields, **more})


def bounds() -> BoundsRecord:
    """Return what is possible with the data of the runs."""
    budgets = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    return BoundsRecord(
        sensitive=["sex"],
        utility=["income"],
        mutual_information={"u_s": 0.0254, "u_x": 0.2675},
        entropy={"u": 0.5503, "s": 0.6352},
        n=48_842,
        level=0.95,
        budgets=budgets,
        lower_bound=[max(0.0, 0.12 - 4 * k) for k in budgets],
        lower_bound_interval=[(max(0.0, 0.09 - 4 * k), max(0.0, 0.15 - 4 * k)) for k in budgets],
        certificate_gap=[0.0002] * len(budgets),
        linear_bound=[max(0.0, 0.02 - k) for k in budgets],
        achievable_bound=[0.2675 * (1 - k / 0.6352) for k in budgets],
        attacker_accuracy=[(0.5 + k / 1.3, min(1.0, 0.5 + (k / 2) ** 0.5)) for k in budgets],
        plug_in_bias=1e-5,
        notes=["I(S;X) is not known: the achievable loss is that of erasure as if X told all of S."],
    )


def fail() -> RunRecord:
    """Return a run that failed with the cause named."""
    record = audit("fail", leak=0.121, budget=0.03)
    critical = Finding(
        code="single_column_determines",
        severity="critical",
        text="'sex' can be read from single columns: 'relationship' alone gives it away in 94 % of records.",
        column="relationship",
    )
    statement = (
        "The best attacker (boosting) learned 0.121 nat [0.115, 0.127], more than the budget of 0.030 nat. "
        "A leak of 0.028 nat in these forms would have been found."
    )
    return run(record.model_copy(update={"findings": [critical, *record.findings], "statement": statement}))


def minimal() -> AuditRecord:
    """Return an audit of a foreign file: nothing but the release was given, no budget, nothing planted."""
    bare = SensitiveResult(
        kind="categorical",
        entropy=1.0986,
        leakage=Quantity(value=0.04, kind="lower_bound"),
        leakage_total=Quantity(value=0.04, kind="lower_bound"),
        percent_of_entropy=3.6,
    )
    return AuditRecord(
        verdict=None,
        statement="The best attacker of this panel learned 0.040 nat about 'site'.",
        budget=None,
        n=400,
        level=0.95,
        panel=["logistic"],
        effort="quick",
        splits=Splits(audit=400, folds=5),
        sensitive={"site": bare},
    )


def several() -> RunRecord:
    """Return a run that hides three attributes."""
    attributes = {
        "sex": sensitive(0.021),
        "race": sensitive(0.012, raw=0.09, classes=5, chance=0.2, balanced_accuracy=0.24),
        "age": sensitive(0.014, **CONTINUOUS),
        "joint": sensitive(0.025, raw=0.4, classes=40, chance=1 / 40, balanced_accuracy=0.03),
    }
    return run(audit("pass", sensitive=attributes))


def continuous() -> RunRecord:
    """Return a run that hides a number."""
    return run(audit("inconclusive", sensitive={"age": sensitive(0.02, **CONTINUOUS, cause="plants_missed")}))


def images() -> RunRecord:
    """Return a run on images."""
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
    means = [
        MeanImages(attribute=name, level=level, n=1_234, raw=dot, release=dot)
        for name, level in (("sex", "f"), ("sex", "m"), ("income", "<50K"))
    ]
    seen = ImageComparison(column="image", n=5_678, change=0.0123, change_most=0.25, change_image=dot, classes=means)
    cells = Histogram(labels=["below 20", "20 or more"], raw=[30, 40], release=[35, 35])
    scan = ColumnResult(kind="image", retention=0.7, histogram=cells)
    return run(audit("pass", images=seen, columns={"scan": scan}, panel=["cnn", "pixels"]))


def promised() -> RunRecord:
    """Return a run under differential privacy that hides nothing in particular."""
    record = run(audit(None, sensitive={}, claim="any_attacker", budget=None, statement="Promised to everybody."))
    method = record.method.model_copy(
        update={"name": "cadp", "guarantee": record.method.guarantee.model_copy(update={"claim": "Epsilon is 1."})}
    )
    return record.model_copy(update={"method": method})


def crowded() -> RunRecord:
    """Return the worst that must fit: 60 columns, 12 attackers, 6 attributes and joint, long and hostile names."""
    long = "household_income_before_taxes_and_transfers_" * 4 + "reported_in_the_survey_2019"
    panel = (*(f"attacker_number_{i}_with_whitening" for i in range(11)), HOSTILE)
    attributes = {
        "sex": sensitive(0.021, panel=panel),
        long: sensitive(0.005, raw=0.41, panel=panel, verdict="pass"),
        HOSTILE: sensitive(0.09, raw=0.9, panel=panel, verdict="fail", groups={HOSTILE: q(0.1), long: q(0.02)}),
        "age": sensitive(
            0.014,
            kind="continuous",
            classes=None,
            entropy=2.7,
            balanced_accuracy=None,
            chance=None,
            auc=None,
            tpr_at_1pct_fpr=None,
            verdict="inconclusive",
            detection_limit=None,
            recovery=None,
        ),
        "المنطقة": sensitive(0.0004, panel=panel[:2], controls={}, parts={}),
        "site": sensitive(0.03, classes=6, chance=1 / 6, plants=[], detection_limit=None, verdict="inconclusive"),
        "joint": sensitive(0.11, raw=1.3, panel=panel, verdict="fail", classes=48, chance=1 / 48),
    }
    columns = {f"measurement_{i:02d}": column(i, (5, 8, 16, 32, 2)[i % 5]) for i in range(56)}
    columns |= {long: column(3, 6), HOSTILE: column(4, 6), HOSTILE * 2: column(5, 20)}
    columns["never measured"] = ColumnResult(kind="text")
    columns[HOSTILE].histogram.labels[:] = [HOSTILE, long, "", "\n\t", "0", "年" * 30]
    findings = [
        Finding(code="alignment_unproven", severity="critical", text=f"Column {long} was matched by row order only."),
        *(
            Finding(code="constant_column", severity=s, text=f"Column {HOSTILE} is constant.", column=HOSTILE)
            for s in ("critical", "warning", "info")
        ),
    ]
    record = audit(
        "fail",
        sensitive=attributes,
        panel=list(panel),
        columns=columns,
        findings=findings,
        utility={
            "income": UtilityResult(metric="accuracy", score=Score(raw=0.87, release=0.83), chance=0.76),
            long: UtilityResult(metric="r2", score=Score(raw=0.61, release=-0.02), chance=0.0, predictor=HOSTILE),
            HOSTILE: UtilityResult(metric="balanced_accuracy", score=Score(release=0.7), chance=0.5),
        },
        fairness={
            "income": {name: audit().fairness["income"]["sex"] for name in ("sex", HOSTILE)},
            long: {"sex": FairnessResult(demographic_parity_difference=Score(release=0.1))},
        },
        linkage={
            "data": LinkageResult(
                found=q(0.02, 0.01, kind="estimate", unit="fraction"), chance=0.001, candidates=1000, raw=0.98
            )
        },
        membership=MembershipResult(
            leakage=q(0.01), balanced_accuracy=0.55, control_balanced_accuracy=0.54, members=800, others=300
        ),
    )
    return run(record, noise="seeded: not for sharing")


def disclosure(verdict: str | None = "pass", excess: float = 0.01, *codes: str, **update) -> DisclosureRecord:
    """An audit against a control."""
    one = DisclosureResult(
        classes=2,
        entropy=0.69,
        original=q(0.05 + excess, 0.02, "boosting"),
        control=q(0.05, 0.02, "boosting"),
        excess=q(excess, 0.01, "boosting"),
        right_original=0.66,
        right_control=0.6,
        chance=0.55,
        planted=0.3,
        recovered=0.28,
        found=True,
        corrected_high=excess + 0.01,
    )
    findings = [Finding(code=code, severity="critical", text=f"{code} was found.") for code in codes]
    fields = {
        "verdict": verdict,
        "statement": "Said.",
        "budget": None if verdict is None else 0.05,
        "n": 900,
        "n_original": 800,
        "n_control": 700,
        "level": 0.95,
        "panel": ["boosting", "nearest"],
        "effort": "quick",
        "seed": 0,
        "columns": ["age", "job <script>"],
        "sensitive": {"illness & more": one},
        "copied_original": 0.02,
        "copied_control": 0.01,
        "findings": findings,
    }
    return DisclosureRecord(**{**fields, **update})
