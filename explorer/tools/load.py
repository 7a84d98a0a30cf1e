"""`tsa-explorer bench --load N`: N people at once on one server, each at a person's pace, on this machine alone."""

import base64
import json
import math
import random
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from http.cookiejar import CookieJar
from importlib import import_module
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

from explorer.state import DRAWING_PIXELS
from explorer.tools.chromium import CHROMIUM, browsing, serving
from explorer.tools.timing import percentiles
from explorer.tools.visitor import Visitor, exceptions, origin_of
from tsa._base import InputError

_PAUSE_SECONDS = 4.0  # between two things that a person does, on average
_STROKE_SECONDS = 1.5
_STEP_SECONDS = 0.04  # between two messages of a pen
_AFTERWARDS_SECONDS = 150  # Streamlit forgets a session two minutes after its page has left
_MAX_PEOPLE, _MAX_SECONDS = 200, 3600
_SHAPES = ("triangle", "pentagon", "bar", "F", "S", "square", "hexagon")
_PAGES = ("motion", "filters", "orbits", "film", "dft", "lesson")


class Measured:
    """Times in milliseconds by what was done, and errors by their text; written by all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self.errors: Counter[str] = Counter()

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """The result of `work`, which is timed."""
        start = time.perf_counter()
        result = work()
        with self._lock:
            self.times[name].append(1e3 * (time.perf_counter() - start))
        return result

    def error(self, text: str) -> None:
        """Count an error."""
        with self._lock:
            self.errors[text] += 1


class Person(threading.Thread):
    """Opens the lab; then draws, turns, chooses, uploads, looks at other pages and perhaps trains, until the end."""

    def __init__(self, server: str, seed: int, end: float, measured: Measured, trains: bool) -> None:
        super().__init__(daemon=True)
        self._server, self._end, self._measured = server, end, measured
        self._random = random.Random(seed)
        self._sequence = 0
        self._cookies = CookieJar()  # a proxy may know by them which server this person has
        self._web = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))
        self._often: list[Callable[[], None]] = [self._draw] * 9 + [self._turn] * 6 + [self._choose] * 3
        self._often += [self._look] * 2 + [self._upload] + [self._train] * trains

    def run(self) -> None:
        """Until the end, with a pause after each thing; what fails is counted, and the page is opened anew."""
        self._wait(self._random.uniform(0, 2 * _PAUSE_SECONDS))
        while time.monotonic() < self._end:
            try:
                with self._measured.time("page opened", self._open) as self._page:
                    while time.monotonic() < self._end:
                        self._random.choice(self._often)()
                        self._wait(self._random.expovariate(1 / _PAUSE_SECONDS))
            except Exception as error:  # whatever it is, it is a result
                self._measured.error(f"{type(error).__name__}: {error}")

    def stop(self) -> None:
        """Leave after what is being done."""
        self._end = time.monotonic()

    def do_each_once(self) -> None:
        """Each of these things once, and every page, so that the server has loaded what all people share."""
        with self._open() as self._page:
            for do in dict.fromkeys(self._often):
                do()
            for page in _PAGES:
                self._ask("page changed", page=page)

    def _wait(self, seconds: float) -> None:
        time.sleep(max(0.0, min(seconds, self._end - time.monotonic())))

    def _open(self) -> Visitor:
        for path in ("/", "/_stcore/health"):
            self._web.open(self._server + path, timeout=60).read()
        page = Visitor(self._server, headers=self._cookie())
        page.__enter__()
        page.send()
        self._hear(page)
        return page

    def _cookie(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{one.name}={one.value}" for one in self._cookies)}

    def _hear(self, page: Visitor) -> None:
        for text in exceptions(page.hear()):
            self._measured.error(f"error box: {text}")

    def _ask(self, name: str, *widgets: Any, page: str | None = None) -> None:
        def ask() -> None:
            self._page.send(*widgets, page=page)
            self._hear(self._page)

        self._measured.time(name, ask)

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def _choose(self) -> None:
        gallery = self._kind("Shapes", "gallery_shape_x")
        gallery.string_array_value.data.append(self._content("gallery_shape_x", self._random.choice(_SHAPES)))
        self._ask("shape chosen → answer", gallery)

    def _kind(self, name: str, key: str) -> Any:
        """Choose this kind of picture for x; the state of the control with this key, which is then on the page."""
        kind = self._page.state("source_x")
        kind.string_array_value.data.append(self._content("source_x", name))
        self._page.send(kind)
        self._hear(self._page)
        return self._page.state(key)

    def _content(self, key: str, name: str) -> str:
        """The option of this group of buttons whose label names it."""
        _, group = self._page.elements[self._page.id_of(key)]
        return next(str(option.content) for option in group.options if name in option.content)

    def _turn(self) -> None:
        """Release the dial: until then the page needs no server."""
        stage = self._page.data_of("stage")
        fields = stage["fields"] | {"angle": self._random.randrange(360)}
        content = {"session": stage["session"], "obeyed": stage["revision"], "sequence": self._next(), **fields}
        self._ask("dial released → link", self._page.message("stage", content))

    def _draw(self) -> None:
        """A stroke: over the live line while the pen moves, then by a run of the script."""
        self._kind("Draw", "pad_x")
        pad, ticket = self._page.data_of("pad_x"), self._page.data_of("line")
        content = {"session": pad["session"], "obeyed": pad["obey"]}
        drawing = Image.new("L", (DRAWING_PIXELS, DRAWING_PIXELS))
        pen, angle = ImageDraw.Draw(drawing), self._random.uniform(0, 2 * math.pi)
        with connect(
            self._server.replace("http", "ws", 1) + "/live",
            origin=origin_of(self._server),
            additional_headers=self._cookie(),
        ) as line:
            line.send(ticket)
            for step in range(round(_STROKE_SECONDS / _STEP_SECONDS)):
                radius = DRAWING_PIXELS * (0.1 + 0.3 * step * _STEP_SECONDS / _STROKE_SECONDS)
                x, y = (DRAWING_PIXELS / 2 + radius * f(angle + 0.1 * step) for f in (math.cos, math.sin))
                pen.ellipse((x - 3, y - 3, x + 3, y + 3), fill=255)
                content |= {"sequence": self._next(), "pixels": base64.b64encode(drawing.tobytes()).decode()}
                asked = json.dumps({"patch": "x", "message": content | {"done": False}})

                def ask(text: str = asked) -> None:
                    line.send(text)
                    line.recv(timeout=60)

                start = time.monotonic()
                self._measured.time("stroke → posterior", ask)
                self._wait(_STEP_SECONDS - (time.monotonic() - start))
        content |= {"sequence": self._next(), "done": True}
        self._ask("pen lifted → whole sweep", self._page.message("pad_x", content))

    def _upload(self) -> None:
        uploader = self._kind("Upload", "upload_x")
        picture = np.random.default_rng(self._sequence).integers(0, 256, (400, 400, 3), np.uint8)
        buffer = BytesIO()
        Image.fromarray(picture).save(buffer, "PNG")
        name = f"photo-{self._next()}.png"

        def ask() -> None:
            info = uploader.file_uploader_state_value.uploaded_file_info.add(name=name, size=buffer.tell())
            info.file_id = info.file_urls.file_id = self._send_file(name, buffer.getvalue())
            self._page.send(uploader)
            self._hear(self._page)

        self._measured.time("picture uploaded → answer", ask)

    def _send_file(self, name: str, content: bytes) -> str:
        """Send a file to the place that the server names; returns its id."""
        message = BackMsg()
        message.file_urls_request.request_id = name
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self._page.upload_session
        self._page.line.send(message.SerializeToString())
        while True:
            answer = self._page.receive(60)
            if answer.WhichOneof("type") == "file_urls_response":
                break
        (urls,) = answer.file_urls_response.file_urls
        edge = "-" * 12 + "photo"
        head = f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
        request = urllib.request.Request(
            self._server + urls.upload_url, head.encode() + content + f"\r\n--{edge}--\r\n".encode(), method="PUT"
        )
        request.add_header("Content-Type", f"multipart/form-data; boundary={edge}")
        token = next(one.value for one in self._cookies if one.name == "_streamlit_xsrf")
        request.add_header("X-Xsrftoken", token or "")
        self._web.open(request, timeout=60).read()
        return str(urls.file_id)

    def _look(self) -> None:
        """Look at another page, and come back."""
        self._ask("page changed", page=self._random.choice(_PAGES))
        self._wait(self._random.expovariate(1 / _PAUSE_SECONDS))
        self._ask("page changed", page="")

    def _train(self) -> None:
        """Train a model for ten seconds, and discard it."""
        self._ask("page changed", page="train")
        for label, seconds in (("Start", 10.0), ("Discard", 0.0)):
            buttons = reversed([shown for kind, shown in self._page.elements.values() if kind == "button"])
            state = WidgetState(id=next(button.id for button in buttons if label in button.label))
            state.trigger_value = True
            self._ask("training started or discarded", state)
            self._wait(seconds)
        self._ask("page changed", page="")


def run_load(people: int, seconds: float, afterwards: float = _AFTERWARDS_SECONDS) -> int:
    """Measure and print; returns the exit code, 1 if anything failed. Memory is looked at once more `afterwards`."""
    if not 1 <= people <= _MAX_PEOPLE or not 1 <= seconds <= _MAX_SECONDS:
        raise InputError(
            f"bench --load takes 1 to {_MAX_PEOPLE} people for 1 to {_MAX_SECONDS} seconds; got {people} for "
            f"{seconds:g}."
        )
    measured = Measured()
    with serving(port=8770) as server:
        Person(server, -1, time.monotonic() + 60, Measured(), trains=True).do_each_once()
        before = server_megabytes()
        end = time.monotonic() + seconds
        crowd = [Person(server, seed, end, measured, trains=seed % 10 == 0) for seed in range(people)]
        for person in crowd:
            person.start()
        most = _watch(server, end, measured)
        for person in crowd:
            person.join(60)
        print(f"{people} people for {seconds:.0f} s: {sum(map(len, measured.times.values())):,} answers")
        for name, times in sorted(measured.times.items()):
            print(f"  {name}: {percentiles(times)} ({len(times):,})")
        for text, count in measured.errors.most_common(10):
            print(f"  ERROR {count}×: {text[:200]}")
        print(f"  errors: {measured.errors.total()}")
        if before is not None and most is not None:
            print(f"  memory: {before:.0f} MB, at the most {most:.0f} MB: {(most - before) / people:.1f} MB per person")
            time.sleep(afterwards)
            print(f"  memory {afterwards:.0f} s after they have left: {server_megabytes():.0f} MB")
    return 1 if measured.errors else 0


def _watch(server: str, end: float, measured: Measured) -> float | None:
    """Open the lab in a real browser now and then until the end; returns the most memory that the server took (MB)."""
    most = server_megabytes()
    if CHROMIUM is None:
        time.sleep(max(0.0, end - time.monotonic()))
        return most
    with browsing() as browser:
        while time.monotonic() < end - 10:
            measured.time("page load in Chromium", partial(_load, browser, server))
            now = server_megabytes()
            most = now if most is None or now is None else max(most, now)
            time.sleep(max(0.0, min(10.0, end - time.monotonic())))
    return most


def _load(browser: Any, server: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{server}/?angle=30")
    page.wait_for_selector(".stage[data-drawn]")
    page.close()


def server_megabytes() -> float | None:
    """The memory of the server, without the processes that train; None where `psutil` is missing."""
    try:
        psutil = import_module("psutil")
    except ImportError:
        return None
    servers = [child for child in psutil.Process().children() if "explorer" in child.cmdline()]
    return sum(server.memory_info().rss for server in servers) / 1e6
