"""Parts of the methods that learn an invariant representation for a task."""
