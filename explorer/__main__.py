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
from tsa._base import InputError, TSAError, allow_any_console, end_loading

_MAX_PORTS_TRIED = 20
_EVERYWHERE = ("0.0.0.0", "::", "")  # to listen on every address of this machine


def main(argv: list[str] | None = None) -> int:
    """Parse the command line and serve the app until it is stopped; returns the exit code, 130 after Ctrl-C."""
    try:
        end_loading()
        allow_any_console()
        argv = sys.argv[1:] if argv is None else argv
        if argv[:1] == ["lesson"]:
            from explorer.tools import lesson_command

            return lesson_command(argv[1:])
        if argv[:1] == ["docs"]:
            from explorer.docs import docs_command

            return docs_command(argv[1:])
        return _main(argv)
    except TSAError as error:
        print(f"tsa-explorer: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("tsa-explorer: stopped.", file=sys.stderr)
        return 130


def _main(argv: list[str]) -> int:
    options = _parser().parse_args(argv)
    if options.command is not None:
        return _run_tool(options)
    if options.model:
        from explorer.state import open_named

        open_named(options.model)
        os.environ["TSA_EXPLORER_MODEL"] = options.model
    if options.lessons:
        from explorer.course import FOLDER_VARIABLE, read_course

        read_course(options.lessons)
        os.environ[FOLDER_VARIABLE] = options.lessons
    _serve(options)
    raise KeyboardInterrupt  # nothing else ends a server without an error; some of its versions keep it to themselves


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tsa-explorer",
        description="Explore Toroidal Subgroup Analysis.",
        epilog="example: tsa-explorer --port 8600 --no-browser",
    )
    add = parser.add_argument
    add("--version", action="version", version=f"tsa-explorer {tsa.__version__}")
    add("--host", help="address to listen on (default: this machine only)")
    add(
        "--class", dest="is_class", action="store_true",
        help="for a class: listen on the local network, show how to join, let pages follow the teacher's",
    )  # fmt: skip
    add("--port", type=int, default=8501, help="port to listen on, or the next free one (default: 8501)")
    add(
        "--allowed-host", metavar="NAME", action="append", default=[],
        help="name that visitors reach this server by, besides localhost and --host; may be given several times",
    )  # fmt: skip
    add(
        "--base-path", metavar="PATH", default="",
        help="path under which a proxy has this server, as in /tsa; not needed if the proxy takes it off",
    )  # fmt: skip
    add(
        "--behind-proxy", action="store_true",
        help="believe X-Forwarded-Host; only for servers that nobody but a proxy can reach",
    )  # fmt: skip
    add("--model", metavar="FILE", help="model to explore: a bundled name or a file")
    add("--lessons", metavar="FOLDER", help="folder of further lessons, a folder each")
    add("--no-browser", action="store_true", help="do not open a browser window")
    add(
        "command", nargs="?", choices=["bench", "shots"],
        help="bench: measure the delays of the app, in Chromium; shots: take the README's pictures into ./assets; "
        "lesson: check or print lessons, see tsa-explorer lesson --help; "
        "docs: write the documentation into a folder, see tsa-explorer docs --help",
    )  # fmt: skip
    add("--load", type=int, metavar="N", help="bench: measure instead how this machine serves N people at once")
    add("--seconds", type=float, default=300, help="bench --load: for how long (default: 300)")
    return parser


def _run_tool(options: argparse.Namespace) -> int:
    from explorer.tools import bench, load, shots

    if options.command == "shots":
        return shots.take_shots(Path("assets"))
    return bench.run_bench() if options.load is None else load.run_load(options.load, options.seconds)


def _serve(options: argparse.Namespace) -> None:
    """Serve the app until it is stopped; an InputError if it cannot be served as the options say."""
    from explorer.app import CONFIG, SCRIPT, Hosts, base_path, parts

    path = base_path(options.base_path)
    if path is None:
        raise InputError(
            f"--base-path takes a path of letters, digits and . _ ~ - such as /tsa; got {options.base_path!r}."
        )
    if options.is_class and (path or options.behind_proxy):
        raise InputError("--class serves a network by itself, without --base-path and --behind-proxy.")
    reached = _class_hosts(options.host) if options.is_class else []
    host = ("0.0.0.0" if options.is_class else "127.0.0.1") if options.host is None else options.host
    port = _port(host, options.port)
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


def _port(host: str, first: int) -> int:
    """The port to listen on, said on the terminal if it is another than the first."""
    if not 0 < first < 65536:
        raise InputError(f"a port is a number from 1 to 65535; got {first}.")
    try:
        port = free_port(host, first)
    except OSError as error:
        raise InputError(f"cannot listen on {host}: {error.strerror}.") from None
    if port is None:
        raise InputError(f"ports {first} to {first + _MAX_PORTS_TRIED - 1} on {host} are all taken; try --port.")
    if port != first:
        print(f"tsa-explorer: port {first} is taken, using {port}.", file=sys.stderr)
    return port


def _class_hosts(host: str | None) -> list[str]:
    """The addresses of this machine that a class can use: the one that was given, or those in its networks."""
    from explorer.app import network_addresses

    found = network_addresses() if host is None or host in _EVERYWHERE else [host]
    if not found:
        raise InputError(
            "this machine has no address in a network; join a network (or switch on a hotspot) and start again, or "
            "name an address by --host."
        )
    return found


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
