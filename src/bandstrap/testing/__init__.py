"""Checks to run on classes of your own: what the rest of the library relies on.

Each check returns None if all is well, and otherwise raises an `AssertionError` that names the
class, the rule it breaks and what was found. They need no test runner, and seeds are fixed: what
passes once passes always.

>>> from bandstrap import Bootstrap
>>> from bandstrap.testing import check_policy
>>> check_policy(Bootstrap())
"""

from bandstrap.testing.environment import check_environment
from bandstrap.testing.model import check_model
from bandstrap.testing.policy import check_policy
from bandstrap.testing.resampling import check_resampling

__all__ = ["check_environment", "check_model", "check_policy", "check_resampling"]
