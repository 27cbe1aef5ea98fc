"""One file per request: convert the position, ask the feature, convert the answer."""
