"""Names of the stages of an audit, in their order."""

KEPT, ATTACKING, PLANTING, CONTROLS = "measuring what is kept", "attacking", "planting test leaks", "running controls"
PEOPLE, COMPARING = "testing linkability and membership", "comparing with the original"
COLUMNS = "checking for identifying columns"
