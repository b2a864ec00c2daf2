"""A host of MCP Apps: shows the page in a sandboxed frame, and speaks with it as SEP-1865 says."""

from typing import Any

from mcp import Client
from playwright.async_api import Browser, FrameLocator, Page

from moviegraph.view.page import URI

PATIENCE = 120_000  # milliseconds
PROTOCOL = "2026-01-26"
PAGE = """<!doctype html><html><body style="margin: 0"><script>
  window.heard = [];
  window.begin = (html, hello) => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.srcdoc = html;
    frame.style.cssText = "border: 0; width: 100%; height: 300px";
    window.tell = message => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
    window.remove = () => frame.remove();
    addEventListener("message", async event => {
      if (event.source !== frame.contentWindow) return;
      const message = event.data;
      heard.push(message);
      if (message.method === "ui/initialize") tell({ id: message.id, result: hello });
      else if (message.method === "tools/call")
        tell({ id: message.id, ...(await hostCallTool(message.params)) });
      else if (message.method === "ui/notifications/size-changed")
        frame.style.height = `${message.params.height}px`;
    });
    document.body.append(frame);
  };
</script></body></html>"""


class ViewHost:
    """One page of a browser that plays the host.

    Args:
        page: An empty page.
        client: The client of the server whose view it shows.
    """

    def __init__(self, page: Page, client: Client) -> None:
        self.page = page
        self.client = client
        self.calls: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.requests: list[str] = []

    @property
    def view(self) -> FrameLocator:
        """The frame of the view."""
        return self.page.frame_locator("iframe")

    async def open(self, context: dict[str, Any] | None = None, **capabilities: Any) -> None:
        """Read the view's page from the server, load it, and wait for its handshake."""
        page = self.page
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        page.on("request", lambda request: self.requests.append(request.url))
        # It appears in every frame, at any time: no function of the view may have its name.
        await page.expose_function("hostCallTool", self._call)
        await page.set_content(PAGE)
        content = (await self.client.read_resource(URI)).contents[0]
        hello = {
            "protocolVersion": PROTOCOL,
            "hostInfo": {"name": "test host", "version": "1"},
            "hostCapabilities": capabilities,
            "hostContext": context or {},
        }
        await page.evaluate("([html, hello]) => begin(html, hello)", [content.text, hello])  # type: ignore[union-attr]
        await self.wait_for_message("ui/notifications/initialized")

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call the server's tool and show its result, as a host does for its model."""
        outcome = await self.client.call_tool(tool, arguments)
        result = outcome.model_dump(by_alias=True, exclude_none=True, mode="json")
        await self.show(result, arguments)
        return result["structuredContent"]

    async def show(self, result: dict[str, Any], arguments: dict[str, Any] | None = None) -> None:
        """Send the arguments of a call, then its result."""
        await self.tell("ui/notifications/tool-input", {"arguments": arguments or {}})
        await self.tell("ui/notifications/tool-result", result)
        await self.view.locator(".view").wait_for()

    async def tell(self, method: str, params: dict[str, Any], **members: Any) -> None:
        """Send one message to the view."""
        message = {"method": method, "params": params, **members}
        await self.page.evaluate("message => tell(message)", message)

    async def wait_for_message(self, method: str | None = None, **members: Any) -> dict[str, Any]:
        """Wait for a message of the view, and return the newest that fits."""
        expected_members = {**({"method": method} if method else {}), **members}
        fits = (
            "wanted => heard.findLast(each => Object.entries(wanted)"
            ".every(([name, value]) => JSON.stringify(each[name]) === JSON.stringify(value)))"
        )
        result = await self.page.wait_for_function(fits, arg=expected_members)
        return await result.json_value()

    async def _call(self, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(params)
        result = await self.client.call_tool(params["name"], params["arguments"])
        return {"result": result.model_dump(by_alias=True, exclude_none=True, mode="json")}


async def blank(browser: Browser, width: int = 720, scheme: Any = "light") -> Page:
    """Return an empty page of some width."""
    page = await browser.new_page(
        viewport={"width": width, "height": 700}, color_scheme=scheme, reduced_motion="reduce"
    )
    page.set_default_timeout(PATIENCE)
    return page
