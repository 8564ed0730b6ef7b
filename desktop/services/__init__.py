"""Use cases, free of Qt; each module reads like the story it tells."""
