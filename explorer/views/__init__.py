"""One short module per page."""
