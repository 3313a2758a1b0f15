"""What would it have earned: logs of decisions in, estimates and intervals out."""
