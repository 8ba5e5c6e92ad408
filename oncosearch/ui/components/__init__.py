"""Parts of pages: each takes plain values and shows them, or returns the markup that shows them."""
