// Speaks with the host of an MCP App (SEP-1865): JSON-RPC 2.0 by postMessage with the parent.

const PROTOCOL = "2026-01-26";
const shape = JSON.parse(document.getElementById("shape").textContent);
const pending = new Map();
const known = { context: {}, canCall: false, view: null, size: "" };
let lastId = 0;

function post(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  return new Promise((resolve, reject) => {
    lastId += 1;
    pending.set(lastId, { resolve, reject });
    post({ id: lastId, method, params });
  });
}

function tellSize() {
  const width = Math.ceil(document.documentElement.scrollWidth);
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  const size = `${width} ${height}`;
  if (size === known.size) return;
  known.size = size;
  post({ method: "ui/notifications/size-changed", params: { width, height } });
}

// Only the variables that the specification names are taken over, and none that loads anything.
function applyContext(changed) {
  if (!changed || typeof changed !== "object") return;
  known.context = { ...known.context, ...changed };
  const { theme, styles, containerDimensions: room, displayMode } = known.context;
  const style = document.documentElement.style;
  if (theme === "dark" || theme === "light") style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (/^--(color|font|border|shadow)-[\w-]+$/.test(name) && !/url\(/i.test(value ?? ""))
      style.setProperty(name, value ?? "");
  const most = room?.height ?? room?.maxHeight;
  const whole = displayMode === "fullscreen";
  const pane = Math.max(180, Math.min(440, (most ?? 700) - 260));
  style.setProperty("--pane", whole ? "none" : `${pane}px`);
}

function callTool(name, values) {
  return request("tools/call", { name, arguments: values });
}

function showResult(result) {
  const context = { shape, callTool: known.canCall ? callTool : null };
  known.view = show(context, result);
}

function cancelled(params) {
  const text = `This call was cancelled. ${params?.reason ?? ""}`;
  showResult({ content: [{ type: "text", text }] });
}

const NOTICES = {
  "ui/notifications/tool-result": showResult,
  "ui/notifications/tool-cancelled": cancelled,
  "ui/notifications/host-context-changed": applyContext,
};

const sizes = new ResizeObserver(() =>
  requestAnimationFrame(() => {
    known.view?.resize();
    tellSize();
  }),
);

function answer(message) {
  if (message.method === "ui/resource-teardown") {
    sizes.disconnect();
    removeEventListener("message", receive);
    pending.clear();
    post({ id: message.id, result: {} });
  } else if (message.method === "ping") post({ id: message.id, result: {} });
  else post({ id: message.id, error: { code: -32601, message: "Method not found" } });
}

function receive(event) {
  const message = event.data;
  if (event.source !== window.parent || message?.jsonrpc !== "2.0") return;
  if (message.method === undefined) {
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (message.error) waiting?.reject(message.error);
    else waiting?.resolve(message.result);
  } else if (message.id === undefined) NOTICES[message.method]?.(message.params);
  else answer(message);
}

async function begin() {
  addEventListener("message", receive);
  const hello = await request("ui/initialize", {
    appInfo: { name: "moviegraph", version: shape.version },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    protocolVersion: PROTOCOL,
  });
  known.canCall = Boolean(hello?.hostCapabilities?.serverTools);
  applyContext(hello?.hostContext);
  sizes.observe(document.body);
  post({ method: "ui/notifications/initialized", params: {} });
}

begin();
