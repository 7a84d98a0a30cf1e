"""`tsa-explorer`: serve the app and open it in the browser; by default it listens on this machine only."""

import argparse
import errno
import os
import socket
import sys
import warnings
from pathlib import Path

import streamlit as st

import tsa
from tsa._base import TSAError, allow_any_console

_MAX_PORTS_TRIED = 20
_EVERYWHERE = ("0.0.0.0", "::", "")  # to listen on every address of this machine


def main(argv: list[str] | None = None) -> int:
    """Parse the command line and serve the app until it is stopped; returns the exit code, 130 after Ctrl-C."""
    allow_any_console()
    argv = sys.argv[1:] if argv is None else argv
    try:
        if argv[:1] == ["lesson"]:
            from explorer.tools import lesson_command

            return lesson_command(argv[1:])
        if argv[:1] == ["docs"]:
            from explorer.docs import docs_command

            return docs_command(argv[1:])
        return _main(argv)
    except KeyboardInterrupt:
        print("tsa-explorer: stopped.", file=sys.stderr)
        return 130


def _main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tsa-explorer",
        description="Explore Toroidal Subgroup Analysis.",
        epilog="example: tsa-explorer --port 8600 --no-browser",
    )
    parser.add_argument("--version", action="version", version=f"tsa-explorer {tsa.__version__}")
    parser.add_argument("--host", help="address to listen on (default: this machine only)")
    parser.add_argument(
        "--class", dest="is_class", action="store_true",
        help="for a class: listen on the local network, show how to join, let pages follow the teacher's",
    )  # fmt: skip
    parser.add_argument(
        "--port", type=int, default=8501, help="port to listen on, or the next free one (default: 8501)"
    )
    names = "name that visitors reach this server by, besides localhost and --host; may be given several times"
    parser.add_argument("--allowed-host", metavar="NAME", action="append", default=[], help=names)
    where = "path under which a proxy has this server, as in /tsa; not needed if the proxy takes it off"
    parser.add_argument("--base-path", metavar="PATH", default="", help=where)
    proxy = "believe X-Forwarded-Host; only for servers that nobody but a proxy can reach"
    parser.add_argument("--behind-proxy", action="store_true", help=proxy)
    parser.add_argument("--model", metavar="FILE", help="model to explore: a bundled name or a file")
    parser.add_argument("--lessons", metavar="FOLDER", help="folder of further lessons, a folder each")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    commands = (
        "bench: measure the delays of the app, in Chromium; shots: take the README's pictures into ./assets; "
        "lesson: check or print lessons, see tsa-explorer lesson --help; "
        "docs: write the documentation into a folder, see tsa-explorer docs --help"
    )
    parser.add_argument("command", nargs="?", choices=["bench", "shots"], help=commands)
    parser.add_argument(
        "--load", type=int, metavar="N", help="bench: measure instead how N people at once are served, on this machine"
    )
    parser.add_argument("--seconds", type=float, default=300, help="bench --load: for how long (default: 300)")
    options = parser.parse_args(argv)
    if options.command == "bench" and options.load is not None:
        from explorer.tools import load

        return load.run_load(options.load, options.seconds)
    if options.command == "bench":
        from explorer.tools import bench

        return bench.run_bench()
    if options.command == "shots":
        from explorer.tools import shots

        return shots.take_shots(Path("assets"))
    if options.model:
        from explorer.state import open_named

        try:
            open_named(options.model)
        except TSAError as error:
            print(f"tsa-explorer: {error}", file=sys.stderr)
            return 2
        os.environ["TSA_EXPLORER_MODEL"] = options.model
    if options.lessons:
        from explorer.course import FOLDER_VARIABLE, read_course

        try:
            read_course(options.lessons)
        except TSAError as error:
            print(f"tsa-explorer: {error}", file=sys.stderr)
            return 2
        os.environ[FOLDER_VARIABLE] = options.lessons
    reached: list[str] = []  # addresses of this machine by which a class reaches it
    if options.is_class:
        reached = _class_hosts(options.host)
        if not reached:
            print(
                "tsa-explorer: this machine has no address in a network; join a network (or switch on a hotspot) and "
                "start again, or name an address by --host.",
                file=sys.stderr,
            )
            return 2
    host = ("0.0.0.0" if options.is_class else "127.0.0.1") if options.host is None else options.host
    if not 0 < options.port < 65536:
        print(f"tsa-explorer: a port is a number from 1 to 65535; got {options.port}.", file=sys.stderr)
        return 2
    from explorer.app import base_path

    path = base_path(options.base_path)
    if path is None:
        print(
            f"tsa-explorer: --base-path takes a path of letters, digits and . _ ~ - such as /tsa; got "
            f"{options.base_path!r}.",
            file=sys.stderr,
        )
        return 2
    if options.is_class and (path or options.behind_proxy):
        print(
            "tsa-explorer: --class serves a network by itself, without --base-path and --behind-proxy.", file=sys.stderr
        )
        return 2
    try:
        port = free_port(host, options.port)
    except OSError as error:
        print(f"tsa-explorer: cannot listen on {host}: {error.strerror}.", file=sys.stderr)
        return 2
    if port is None:
        last = options.port + _MAX_PORTS_TRIED - 1
        print(
            f"tsa-explorer: ports {options.port} to {last} on {host} are all taken; try --port.",
            file=sys.stderr,
        )
        return 2
    if port != options.port:
        print(f"tsa-explorer: port {options.port} is taken, using {port}.", file=sys.stderr)
    from explorer.app import CONFIG, SCRIPT, Hosts, parts

    private = host in ("127.0.0.1", "localhost", "::1")
    address = f"http://{'localhost' if private else host}:{port}{path}/"
    if options.is_class:
        address = _begin_class(reached, port)
    hosts = Hosts.of(host, [*reached, *options.allowed_host])
    # The address that Streamlit prints; without it, Streamlit asks a server elsewhere for the address of this network.
    named = {"browser.serverAddress": reached[0] if reached else "localhost"} if hosts.any_address else {}
    app = st.App(SCRIPT, **parts(hosts, None if options.no_browser else address, path, options.behind_proxy))
    # Ctrl-C before the server has started is no reason for a warning.
    warnings.filterwarnings("ignore", "coroutine 'Server.serve' was never awaited", RuntimeWarning)
    app.run(
        config={
            **CONFIG,
            **named,
            "server.address": host,
            "server.port": port,
            "server.allowedHosts": [] if hosts.any_address else sorted(hosts.names),
        }
    )
    raise KeyboardInterrupt  # nothing else ends a server without an error; some of its versions keep it to themselves


def _class_hosts(host: str | None) -> list[str]:
    """The addresses of this machine that a class can use: the one that was given, or those in its networks."""
    from explorer.app import network_addresses

    return network_addresses() if host is None or host in _EVERYWHERE else [host]


def _begin_class(hosts: list[str], port: int) -> str:
    """Begin a class, and say on the terminal how to join and to stop; returns the address for the teacher."""
    from explorer.live import begin_class
    from explorer.state import address_of

    addresses = tuple(address_of(host, port) for host in hosts)
    teacher = f"{addresses[0]}/home#teacher={begin_class(addresses).key}"
    print(f"Students open  {addresses[0]}  (the same network; Join in the app shows it with a QR code)")
    for other in addresses[1:]:
        print(f"  or, in another network of this machine,  {other}")
    print(f"You open       {teacher}")
    print("  It holds the key for teaching: students can follow what this page shows. Do not pass it on.")
    print("Everybody in the network can open the app while it runs. Ctrl-C stops it.", flush=True)
    return teacher


def free_port(host: str, first: int) -> int | None:
    """The first free port from `first` on, None if the next 20 are taken; an OSError if the address cannot be used."""
    for port in range(first, min(first + _MAX_PORTS_TRIED, 65536)):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            if os.name != "nt":  # there it would let two servers have one port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
                continue
            return port
    return None


if __name__ == "__main__":
    sys.exit(main())
