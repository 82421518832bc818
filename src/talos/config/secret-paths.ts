/** Keys below which every value is secret: whoever named them said so. */
const NAMES = /(key|token|secret|password|passphrase|^auth)$/i;
const NOT_SECRET = /^publicKey$/i;
/** Free text, in which people put credentials: files, manifests, headers, environment variables, addresses with a token in them. */
const FREE_TEXT = new Set([
  ...["content", "contents", "env", "environment", "variables", "extraManifestHeaders", "apiUrl"],
  ...["credentialProviderConfig", "webhook"],
]);

/** Whether a value at this path of a machine config must not be shown. */
export function isSecretPath(path: readonly string[]): boolean {
  return path.some((name) => (NAMES.test(name) && !NOT_SECRET.test(name)) || FREE_TEXT.has(name));
}
