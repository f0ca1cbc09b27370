// A certified OpenID provider for tests: `node server.mjs CONFIG.json`. What people claim is read from the file
// `accounts` at every sign-in, so that tests can change it. Prints READY once it listens.
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import Provider from "oidc-provider";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const alg = config.algorithm ?? "RS256";

function key(kid) {
  const kinds = {
    RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
    PS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
    ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    EdDSA: () => generateKeyPairSync("ed25519"),
  };
  return { ...kinds[alg]().privateKey.export({ format: "jwk" }), kid, alg, use: "sig" };
}

function account(id) {
  const found = JSON.parse(readFileSync(config.accounts, "utf8"))[id];
  return found && { accountId: id, claims: () => ({ sub: id, ...found }) };
}

const provider = new Provider(config.issuer, {
  clients: [
    {
      client_id: "horae",
      client_secret: config.secret,
      redirect_uris: [config.redirect],
      post_logout_redirect_uris: [config.home],
      id_token_signed_response_alg: alg,
      token_endpoint_auth_method: config.authentication ?? "client_secret_basic",
    },
  ],
  claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email", "email_verified"] },
  conformIdTokenClaims: config.userinfo ?? false, // true: claims of scopes are at the UserInfo endpoint alone
  cookies: { keys: ["of a provider that lives as long as its test"] },
  enabledJWA: { idTokenSigningAlgValues: [alg] },
  features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  findAccount: (_, id) => account(id),
  jwks: { keys: [key("first")] },
  pkce: { required: () => true },
});
provider.listen(new URL(config.issuer).port, "127.0.0.1", () => console.log("READY"));
