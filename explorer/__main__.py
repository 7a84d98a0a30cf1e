"""`tsa-explorer`: open the explorer in the browser, on this machine only unless told otherwise."""

import argparse
from pathlib import Path

import streamlit as st


def main(argv: list[str] | None = None) -> None:
    """Parse the command line and serve the app until stopped."""
    parser = argparse.ArgumentParser(prog="tsa-explorer", description="Explore Toroidal Subgroup Analysis.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=8501, help="port to listen on (default: 8501)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    options = parser.parse_args(argv)
    st.App(Path(__file__).with_name("app.py")).run(
        config={
            "server.address": options.host,
            "server.port": options.port,
            "server.headless": options.no_browser,
            "browser.gatherUsageStats": False,
        }
    )


if __name__ == "__main__":
    main()
