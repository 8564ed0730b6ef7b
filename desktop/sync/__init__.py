"""Approved items out, plant data in."""
