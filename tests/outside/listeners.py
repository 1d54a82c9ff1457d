"""Endpoints of companies that note the order in which posts arrive; one may hang."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextlib.contextmanager
def listener(arrived, name, ended, *, answers=True):
    """An endpoint on loopback; yields its URL.

    Args:
        arrived: a list, to which each post adds the endpoint's name.
        ended: set by the first post that is answered.
        answers: with 200; else each connection is held until `ended` is set.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            arrived.append(name)
            self.rfile.read(int(self.headers["content-length"]))
            if answers:
                ended.set()
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()
            else:
                ended.wait()

        def log_message(self, *_):
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/events"
        finally:
            ended.set()
            server.shutdown()
            thread.join()
