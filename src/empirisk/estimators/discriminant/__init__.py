"""Linear and quadratic discriminant analysis: classes are Gaussian, and Bayes' rule does the rest."""
