// An issuer for trials: oidc-provider on a free loopback port. Whoever asks is logged in as "ann".
// Arguments: the resource, and the lifetime of its access tokens in seconds.
// It prints its URL. The line "rotate" on standard input replaces the signing key; its end stops it.

import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import Provider from "oidc-provider";
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js";

const [resource, lifetime] = process.argv.slice(2);
const READ = "moviegraph:read";
const SQL = "moviegraph:sql";
const clientsWithConsent = new Set();
let issuer;
let provider;

function signingKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig", kid: randomUUID() };
}

// A subclass has one store for all providers: clients, grants and tokens survive a rotation.
class SharedMemory extends MemoryAdapter {}

function createProvider() {
  const created = new Provider(issuer, {
    adapter: SharedMemory,
    jwks: { keys: [signingKey()] },
    cookies: { keys: ["for trials"] },
    scopes: ["openid", "offline_access", READ, SQL],
    pkce: { required: () => true },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    ttl: { AccessToken: Number(lifetime), Grant: 3600, Interaction: 600, RefreshToken: 3600, Session: 3600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: `${READ} ${SQL}`,
          audience: resource,
          accessTokenTTL: Number(lifetime),
          accessTokenFormat: "jwt",
        }),
      },
    },
  });
  created.on("server_error", (_, error) => console.error(error));
  return created;
}

// The first consent of a client grants READ only, so that the client has to ask again for SQL.
async function consent(details) {
  const clientId = details.params.client_id;
  const grant = new provider.Grant({ accountId: details.session.accountId, clientId });
  grant.addOIDCScope(`openid offline_access ${READ} ${SQL}`);
  grant.addResourceScope(resource, READ);
  if (clientsWithConsent.has(clientId)) grant.addResourceScope(resource, SQL);
  else grant.rejectResourceScope(resource, SQL);
  clientsWithConsent.add(clientId);
  return { consent: { grantId: await grant.save() } };
}

async function interact(request, response) {
  const details = await provider.interactionDetails(request, response);
  const isLogin = details.prompt.name === "login";
  const result = isLogin ? { login: { accountId: "ann" } } : await consent(details);
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: !isLogin });
}

const server = createServer((request, response) => {
  if (!request.url.startsWith("/interaction/")) return provider.callback()(request, response);
  interact(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
});

server.listen(0, "127.0.0.1", () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  provider = createProvider();
  console.log(`issuer ${issuer}`);
});

const commands = createInterface({ input: process.stdin });
commands.on("line", (line) => {
  if (line !== "rotate") return;
  provider = createProvider();
  console.log("rotated");
});
commands.on("close", () => process.exit(0));
