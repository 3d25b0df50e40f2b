// A real OpenID provider on loopback: node provider.mjs PORT CALLBACK
import { createRequire } from "node:module";
const { Provider } = await import(createRequire(new URL("../../../frontend/package.json", import.meta.url)).resolve("oidc-provider"));
const [port, back] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "geohound", client_secret: "a secret of tests", redirect_uris: [back] }],
  claims: { openid: ["sub"], profile: ["preferred_username"], email: ["email"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: id, email: `${id}@example.org` }) }),
  cookies: { keys: ["only for tests"] },
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
