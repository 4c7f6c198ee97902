"""One file for each kind of column: how it is encoded, decoded and cut into cells."""
