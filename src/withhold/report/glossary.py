"""Every word of the page that a reader may not know, in one place: tooltips and the list at its end read it here."""

GLOSSARY: dict[str, str] = {
    "Attacker": "A prediction program that is given what is shared, learns from records whose hidden attribute is "
    "known, and then guesses the attribute of records it has not seen.",
    "Balanced": "Counted with equally many people of each class, so that always naming the commonest class earns "
    "nothing.",
    "Budget": "The most, in nat, that may be learned: set by whoever ordered the audit. Also called the limit.",
    "By chance": "What a guess reaches that has seen nothing.",
    "Control": "The same attack on something else, such as the original data or a shuffled attribute, to show what its "
    "numbers mean.",
    "H(S)": "All there is to know about the hidden attribute, in nat. A fair coin has 0.693.",
    "Inference": "Somebody guesses the hidden attribute of a person from what is shared.",
    "Interval": "The range the true reading is likely to lie in; at 95 %, nineteen such ranges in twenty cover it. It "
    "covers all attackers at once.",
    "Kept": "How much of a column can still be predicted from the whole release: 0 % nothing, 100 % everything. Of "
    "images: how much of what differs between pictures can be painted again.",
    "Leakage": "How much better an attacker predicts the hidden attribute with the release than without it, in nat. "
    "0: the release taught it nothing.",
    "Linkability": "Somebody finds the original record of a released one, and so the person behind it.",
    "Membership": "Somebody tells that a person's record was used to make the release.",
    "Nat": "A unit of information, as the metre is one of length. 0.693 nat answers one yes-or-no question whose "
    "answers were equally likely.",
    "Own column": "How much of a column can be read from the released column of the same name alone.",
    "Recipient": "Whoever gets the release. The audit assumes one who attacks it with all that is listed.",
    "Smallest test leak found": "We plant leaks of known size and look for them, as smoke tests an alarm. Leaks "
    "smaller than this one may be there unnoticed.",
    "Test leak": "A leak of known size that we plant ourselves, to see that the attackers would have noticed it.",
    "Usable as it is": "The column's shares, missing values and relations to other columns came through.",
    "Utility": "An attribute that recipients are meant to be able to predict or use.",
    "Weak reading": "Attackers learn only from records that the sanitiser had not been fitted on. The verdict is on "
    "the strong reading, where they learn from all.",
}
