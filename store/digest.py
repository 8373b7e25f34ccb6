"""Digests of what is compared or named: BLAKE2b, without the rest of `hashlib`.

`hashlib` loads OpenSSL as well, for digests that we don't ask for: 3 ms of each start.
"""

try:
    from _blake2 import blake2b
except ImportError:  # a Python that is built otherwise
    from hashlib import blake2b

__all__ = ["blake2b"]
