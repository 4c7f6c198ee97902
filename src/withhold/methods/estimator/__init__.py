"""Parts of every method: the estimator's contract, reading, coding, noise, delivery, storage."""
