"""Networks of layers: classifiers and regressors trained by compiled minibatch steps."""
