// The official TypeScript client, with a person who consents to everything.
// Arguments: its major version (1 or 2), the URL of the server, and how many calls to make after the
// token has expired.
// It prints one JSON object per call, with a digest of the token.

import { createHash } from "node:crypto";

const [version, url, count] = process.argv.slice(2);
const PACKAGES = {
  1: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"],
  2: ["@modelcontextprotocol/client"],
};
const modules = await Promise.all(PACKAGES[version].map((name) => import(name)));
const { Client, StreamableHTTPClientTransport } = Object.assign({}, ...modules);
const REDIRECT_URI = "http://127.0.0.1:8912/callback"; // nothing listens: the redirect is read
const MAX_REDIRECTS = 12;
const LEEWAY = 30; // the server accepts a token so many seconds after it has expired
const QUESTION = { query: "a crew far from home is hunted by something unseen", top: 3 };

// Follow the redirects of the issuer with its cookies; return what it sends to the client.
async function authorize(location) {
  const cookies = new Map();
  for (let redirect = 0; redirect < MAX_REDIRECTS; redirect++) {
    if (location.href.startsWith(REDIRECT_URI)) return location.searchParams;
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(location, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name, ...value] = line.split(";")[0].split("=");
      cookies.set(name, value.join("="));
    }
    location = new URL(response.headers.get("location"), location);
  }
  throw new Error("The issuer did not redirect to the client.");
}

const stored = {};
let callback;
const provider = {
  redirectUrl: REDIRECT_URI,
  clientMetadata: {
    client_name: "typescript_client",
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  clientInformation: () => stored.client,
  saveClientInformation: (client) => { stored.client = client; },
  tokens: () => stored.tokens,
  saveTokens: (tokens) => { stored.tokens = tokens; },
  codeVerifier: () => stored.verifier,
  discoveryState: () => stored.discovery,
  saveDiscoveryState: (discovery) => { stored.discovery = discovery; },
  saveCodeVerifier: (verifier) => { stored.verifier = verifier; },
  redirectToAuthorization: async (location) => { callback = await authorize(location); },
};

function print(details) {
  const token = createHash("sha256").update(stored.tokens.access_token).digest("hex").slice(0, 8);
  console.log(JSON.stringify({ token, ...details }));
}

async function connect() {
  for (let attempt = 0; ; attempt++) {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
    const client = new Client({ name: "typescript_client", version: "1.0.0" });
    try {
      await client.connect(transport);
      return { client, transport };
    } catch (error) {
      if (attempt > 0 || callback === undefined) throw error;
      await transport.finishAuth(callback.get("code"), callback.get("iss"));
    }
  }
}

async function call(client) {
  const result = await client.callTool({ name: "semantic_search", arguments: QUESTION });
  return { rows: result.structuredContent?.rows?.length ?? 0 };
}

const { client, transport } = await connect();
print({ session: transport.sessionId ?? null, ...(await call(client)) });
const seconds = stored.tokens.expires_in + LEEWAY + 1;
await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
for (let index = 0; index < Number(count); index++) print(await call(client));
await client.close();
