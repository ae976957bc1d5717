"""Estimators made of trees: single trees, forests, boosting, bagging and votes."""
