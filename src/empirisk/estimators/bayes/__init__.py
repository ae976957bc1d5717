"""Estimators that follow Bayes' rule: posteriors of regressions, and classifiers of joint laws."""
