"""Parts of the evaluation page."""
