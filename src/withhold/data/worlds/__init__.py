"""Problems whose I(S; release) is known, to learn whether an audit can be believed."""
