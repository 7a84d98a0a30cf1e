"""Components of our own: the JavaScript and CSS that run in the browser, and the Python that mounts them."""
