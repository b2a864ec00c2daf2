"""A scriptable fake of the OpenAI and Azure endpoints, in process or on loopback."""

import base64
import json
import re
import struct
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
from fakes.hashed_embedder import hashed_words

MOST_INPUTS, MOST_INPUT_TOKENS, MOST_REQUEST_TOKENS = 2048, 8192, 300_000
PATH = re.compile(r"(?:/v1|/openai/deployments/(?P<deployment>[^/]+))/(?P<what>[a-z/]+)$")

Body = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A received request: path with query, lowercase headers, decoded JSON."""

    path: str
    headers: Mapping[str, str]
    body: Body


@dataclass(frozen=True)
class Reply:
    """A response; a text body is sent unchanged."""

    status: int
    body: Body | str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass(frozen=True)
class Hang:
    """A request that is never answered; the loopback lets go of it when it closes."""

    met: threading.Event = field(default_factory=threading.Event)


Fault = Reply | Exception | Hang | None


def failure(
    status: int, message: str = "no", code: str | None = None, headers: dict[str, str] | None = None
) -> Reply:
    """Return an error in the vendor's format; retries wait a millisecond by default."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    return Reply(status, {"error": error}, headers or {"retry-after-ms": "1"})


def token_count(text: str) -> int:
    return max(1, len(re.findall(r"\w+|[^\w\s]", text)))


@dataclass
class FakeOpenAI:
    """`faults` is used up one a request (None lets it pass), `replies` one a chat request.

    With a `chat`, that answers chat requests instead, from what was asked.
    """

    api_key: str | None = "test-key"
    widths: dict[str, int] = field(default_factory=lambda: {"text-embedding-3-small": 16})
    faults: list[Fault] = field(default_factory=list)
    replies: list[str | Body] = field(default_factory=list)
    chat: Callable[[Body], str | Body] | None = None
    requests: list[Request] = field(default_factory=list)
    vector: Callable[[str, int], list[float]] = hashed_words
    shuffled: bool = False
    tells_usage: bool = True
    refuses_base64: bool = False
    refuses_dimensions: bool = False
    refuses_formats: tuple[str, ...] = ()
    most_request_tokens: int = MOST_REQUEST_TOKENS
    most_input_tokens: int = MOST_INPUT_TOKENS
    most_inputs: int = MOST_INPUTS
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def respond(self, request: Request) -> Reply:
        with self.lock:
            self.requests.append(request)
            fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, Exception):
            raise fault
        if isinstance(fault, Hang):
            fault.met.set()
            self.closing.wait(300)
            return failure(504)
        if fault:
            return fault
        if not self._admits(request):
            return failure(401, "Incorrect API key provided: sk-wr****", "invalid_api_key")
        match = PATH.match(request.path.partition("?")[0])
        if match and match["what"] == "embeddings":
            return self._embeddings(request.body, match["deployment"] or request.body["model"])
        if match and match["what"] == "chat/completions":
            return self._chat(request.body)
        return failure(404, "unknown path")

    def transport(self) -> httpx2.MockTransport:
        """The fake without a socket."""

        def answer(request: httpx2.Request) -> httpx2.Response:
            headers = {name.lower(): value for name, value in request.headers.items()}
            path = request.url.raw_path.decode()
            reply = self.respond(Request(path, headers, json.loads(request.content)))
            headers = {"content-type": "application/json", **reply.headers}
            return httpx2.Response(reply.status, content=reply.content, headers=headers)

        return httpx2.MockTransport(answer)

    @contextmanager
    def loopback(self) -> Generator[str, None, None]:
        """The fake behind a real socket; yields the address of the machine and port."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            self.closing.set()
            server.shutdown()
            thread.join()
            server.server_close()

    def _admits(self, request: Request) -> bool:
        arguments = (request.headers.get("authorization"), request.headers.get("api-key"))
        return (
            self.api_key is None
            or f"Bearer {self.api_key}" == arguments[0]
            or self.api_key == arguments[1]
        )

    def _refusal(self, body: Body, model: str) -> Reply | None:
        inputs = body["input"]
        if model not in self.widths:
            return failure(404, f"The model `{model}` does not exist", "model_not_found")
        if "" in inputs or len(inputs) > MOST_INPUTS:
            return failure(400, "'$.input' is invalid")
        if len(inputs) > self.most_inputs:
            return failure(422, f"batch size {len(inputs)} > maximum allowed {self.most_inputs}")
        if self.refuses_base64 and body.get("encoding_format") == "base64":
            return failure(400, "encoding_format base64 is not supported")
        if self.refuses_dimensions and "dimensions" in body:
            return failure(400, "This model does not support specifying dimensions.")
        if max(map(token_count, inputs)) > self.most_input_tokens:
            return failure(400, "maximum context length is 8192", "context_length_exceeded")
        if sum(map(token_count, inputs)) > self.most_request_tokens:
            return failure(400, "max 300000 tokens per request", "max_tokens_per_request")
        return None

    def _embeddings(self, body: Body, model: str) -> Reply:
        if refusal := self._refusal(body, model):
            return refusal
        width = body.get("dimensions", self.widths[model])
        data: list[Body] = []
        for index, text in enumerate(body["input"]):
            vector: Any = self.vector(text, width)
            if body.get("encoding_format") == "base64":
                vector = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
            data.append({"object": "embedding", "index": index, "embedding": vector})
        if self.shuffled:
            data.reverse()
        tokens = sum(map(token_count, body["input"]))
        usage = {"usage": {"prompt_tokens": tokens, "total_tokens": tokens}}
        answer = {"object": "list", "data": data, "model": model}
        return Reply(200, answer | (usage if self.tells_usage else {}))

    def _chat(self, body: Body) -> Reply:
        response_format = body.get("response_format", {}).get("type", "text")
        if response_format in self.refuses_formats:
            return failure(400, f"response_format {response_format} is not supported")
        with self.lock:
            reply = self.chat(body) if self.chat else self.replies.pop(0)
        fields = {"content": reply} if isinstance(reply, str) else dict(reply)
        finish = fields.pop("finish_reason", "stop")
        message = {"role": "assistant", "content": None, "refusal": None, **fields}
        choice = {"index": 0, "finish_reason": finish, "logprobs": None, "message": message}
        head = {"id": "chatcmpl-fake", "object": "chat.completion", "created": 0}
        prompt = sum(token_count(message["content"]) for message in body["messages"])
        completion = token_count(message["content"] or "")
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
        answer = {**head, "model": body["model"], "choices": [choice]}
        return Reply(200, answer | ({"usage": usage} if self.tells_usage else {}))


def _handler(fake: FakeOpenAI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = fake.respond(Request(self.path, headers, body))
            with suppress(ConnectionError):  # who asked may have gone
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply.content)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.content)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    return Handler
