"""Headers of requests, and whether a server that listens on this machine answers to them."""

# Host header; whether a server on this machine answers to it.
HOSTS = [
    ("localhost:8501", True), ("localhost", True), ("LOCALHOST:8501", True), ("LocalHost.:8501", True),
    ("localhost:1", True),  # a forwarded port
    ("127.0.0.1:8501", True), ("[::1]:8501", True), ("[::1]", True), ("[0:0:0:0:0:0:0:1]:8501", False),
    ("evil.example:8501", False), ("localhost.evil.example:8501", False), ("evil.localhost:8501", False),
    ("localhost..:8501", False), ("127.0.0.1.evil.example", False), ("192.168.1.5:8501", False),
    ("0.0.0.0:8501", False),
    ("[::]:8501", False), ("[::ffff:7f00:1]:8501", False), ("127.1:8501", False), ("2130706433", False),
    ("localhost:99999", False), ("localhost:port", False), ("user@localhost:8501", False), ("localhost:8501/x", False),
    ("localhost:8501?x", False), ("localhost,evil.example", False), ("[::1", False), ("ｌocalhost", False),
    ("", False), (None, False),
]  # fmt: skip

# Origin header with `Host: localhost:8501`; whether such a page is ours.
ORIGINS = [
    ("http://localhost:8501", True), ("http://LOCALHOST:8501", False), ("http://localhost.:8501", False),
    ("https://localhost:8501", True),  # behind a proxy that has the certificate
    ("http://localhost:8502", False), ("http://localhost", False), ("http://127.0.0.1:8501", False),
    ("http://[::1]:8501", False), ("http://evil.example:8501", False), ("http://evil.example", False),
    ("http://localhost:8501.evil.example", False), ("http://localhost:8501/x", False), ("file://localhost:8501", False),
    ("http://user@localhost:8501", False), ("null", False), ("", False), (None, False), ("http://[", False),
    ("localhost:8501", False), ("http://", False),
]  # fmt: skip
