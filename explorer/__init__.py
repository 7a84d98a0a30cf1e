"""The explorer: draw a patch, turn it, and see the posterior over the group. Imports `tsa`, never the reverse."""
