"""The harness around any model: what a question names, what may be said, and the answer from quotations."""
