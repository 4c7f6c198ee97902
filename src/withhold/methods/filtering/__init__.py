"""Parts of AIOI: domains of records, the training of a filter, sweeps over budgets, fixed utility models."""
