"""From a table to fitted candidates: samples, encodings, folds, paths and the choice between them."""
