"""The section on the candidates: which models were compared, and how sure the choice among them is."""
