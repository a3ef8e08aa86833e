/** The browser's WebAuthn in the protocol's form: makes passkeys, and proves them. Binary fields are base64url text. */

import { t } from "./playertexts.js";

/** @typedef {import("./protocol").PasskeyChallenge} PasskeyChallenge */

/** ES256, EdDSA and RS256, as `ALGORITHMS` of the server. */
const ALGORITHMS = [-7, -8, -257];
const TIMEOUT_MS = 240_000;

/** Whether this browser makes passkeys at this address: by https or on localhost, and for a name. */
export const hasPasskeys = () => isSecureContext && typeof PublicKeyCredential === "function";

/** Whether any browser could, which people are told where it is not so. */
export const mayHavePasskeys = () => isSecureContext && !/^[\d.]+$|^\[/.test(location.hostname);

/** @param {ArrayBuffer} buffer */
const written = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** @param {string} text */
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

/** @param {string} text */
const descriptor = (text) => ({ type: /** @type {const} */ ("public-key"), id: bytes(text) });

/** Wait for the authenticator; its errors become a sentence. @template T @param {Promise<T | null>} asked @returns {Promise<T>} */
async function answered(asked) {
  try {
    const found = await asked;
    if (found) return found;
  } catch (error) {
    if (/** @type {DOMException} */ (error).code === DOMException.INVALID_STATE_ERR) throw new Error(t("This device has a passkey for you already."), { cause: error });
    console.warn(error);
  }
  throw new Error(t("No passkey was used. Try again, or choose another way."));
}

/** Make a passkey. @param {Page} page @param {"register" | "add"} purpose @param {string} name whose it is */
export async function makePasskey(page, purpose, name) {
  const asked = await page.link.ask({ type: "ask_passkey_challenge", purpose });
  /** @type {PublicKeyCredentialCreationOptions} */
  const publicKey = {
    rp: { id: asked.site, name: "Cornered" },
    user: { id: bytes(asked.user), name, displayName: name },
    challenge: new TextEncoder().encode(asked.challenge),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: asked.passkeys.map(descriptor),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "preferred" },
    attestation: "none",
    timeout: TIMEOUT_MS,
  };
  const made = /** @type {PublicKeyCredential} */ (await answered(navigator.credentials.create({ publicKey })));
  const response = /** @type {AuthenticatorAttestationResponse} */ (made.response);
  return { credential: written(made.rawId), client_data: written(response.clientDataJSON), attestation: written(response.attestationObject) };
}

/** Prove a passkey. @param {Page} page @param {"sign_in" | "confirm"} purpose */
export async function provePasskey(page, purpose) {
  const asked = await page.link.ask({ type: "ask_passkey_challenge", purpose });
  /** @type {PublicKeyCredentialRequestOptions} */
  const publicKey = {
    rpId: asked.site,
    challenge: new TextEncoder().encode(asked.challenge),
    allowCredentials: asked.passkeys.map(descriptor),
    userVerification: "preferred",
    timeout: TIMEOUT_MS,
  };
  const shown = /** @type {PublicKeyCredential} */ (await answered(navigator.credentials.get({ publicKey })));
  const response = /** @type {AuthenticatorAssertionResponse} */ (shown.response);
  return {
    credential: written(shown.rawId),
    client_data: written(response.clientDataJSON),
    authenticator_data: written(response.authenticatorData),
    signature: written(response.signature),
    ...(response.userHandle ? { user: written(response.userHandle) } : {}),
  };
}
