"""The service over HTTP: routes, keys, limits, metrics, and the processes that serve them."""
