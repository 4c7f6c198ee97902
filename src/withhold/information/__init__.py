"""How much one variable tells about another: exact measures, bounds with a certificate, estimators with their bias."""
