"""A server on this machine, which stands for those that have the data."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar


class Reply(NamedTuple):
    """What the server answers; `length` is the length that it claims."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    length: int | None = None
    before: Callable[[], object] | None = None


def redirect(place: str, status: int = 302) -> Reply:
    return Reply(status, headers=(("Location", place),))


class Server(http.server.ThreadingHTTPServer):
    """Gives the replies of a path one after the other, the last one again and again."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.replies: dict[str, list[Reply]] = {}
        self.asked: list[str] = []

    def reply(self, path: str, *replies: Reply) -> None:
        self.replies[path] = list(replies)

    def serve(self, path: str, body: bytes) -> None:
        self.reply(path, Reply(body=body))

    def note(self, path: str) -> None:
        """Note what the server was asked for."""
        self.asked.append(path)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.note(self.path)
        replies = self.server.replies.get(self.path.partition("?")[0], [Reply(404)])
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if reply.before:
            reply.before()
        self.send_response(reply.status)
        length = len(reply.body) if reply.length is None else reply.length
        for name, value in (*reply.headers, ("Content-Length", str(length))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


AnyServer = TypeVar("AnyServer", bound=Server)


@contextlib.contextmanager
def running(server: AnyServer) -> Iterator[AnyServer]:
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
