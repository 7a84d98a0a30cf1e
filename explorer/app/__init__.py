"""The script that Streamlit runs, and what stands around it. The script has a folder of its own, because Streamlit
would take the modules of a folder `pages` beside it for pages of the app, and serve them at the addresses of ours.
"""

from explorer.app.guard import SCRIPT, Guard
from explorer.app.hosts import Hosts
from explorer.app.index import Index
from explorer.app.network import network_addresses
from explorer.app.page_messages import ignore_wrong_messages
from explorer.app.proxy import Proxied, base_path
from explorer.app.server import CONFIG, HOSTS_VARIABLE, hosted_parts, parts
from explorer.app.throttled_log import ThrottledLog
from explorer.app.uploads import bound_uploads

__all__ = [
    "CONFIG",
    "HOSTS_VARIABLE",
    "SCRIPT",
    "Guard",
    "Hosts",
    "Index",
    "Proxied",
    "ThrottledLog",
    "base_path",
    "bound_uploads",
    "hosted_parts",
    "ignore_wrong_messages",
    "network_addresses",
    "parts",
]
