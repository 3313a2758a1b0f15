"""Any scikit-learn estimator as a model."""
