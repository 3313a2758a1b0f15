"""Any torch module as a model."""
