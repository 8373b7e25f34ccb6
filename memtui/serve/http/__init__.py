"""Servers over HTTP on this machine alone: tokens, limits, metrics, and the routes."""
