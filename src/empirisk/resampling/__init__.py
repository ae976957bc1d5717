"""What repeated draws of the rows tell: bootstrap, parametric simulation, bias and variance, stability."""
