"""Linear and logistic regression, solved, and the approximations of their draws."""
