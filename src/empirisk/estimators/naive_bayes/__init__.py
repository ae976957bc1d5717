"""Naive Bayes: within a class the columns are independent, and Bayes' rule does the rest."""
