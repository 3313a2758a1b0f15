"""One format of logs in a file, and how they are recognised."""
