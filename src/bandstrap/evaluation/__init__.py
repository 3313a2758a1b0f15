"""What would another policy have earned? Logs in, estimators, intervals, diagnostics."""
