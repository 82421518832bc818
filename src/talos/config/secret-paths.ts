/** Keys below which every value is secret: whoever named them said so. */
const NAMES = /(key|token|secret|password|passphrase|^auth)$/i;
const NOT_SECRET = /^publicKey$/i;
/** Free text, in which people put credentials: files, manifests, headers, environment variables, addresses with a token in them. */
const FREE_TEXT = new Set([
  ...["content", "contents", "manifest", "env", "environment", "variables", "extraManifestHeaders", "headers", "apiUrl"],
  ...["credentialProviderConfig", "webhook", "pods", "pod"],
]);
/** Documents about nothing else, whose keys do not say so. */
const SECRET_KINDS = new Set(["KubeCredentialProviderConfig"]);

/** Whether a value at this path of a machine config must not be shown. `kind` is that of its document, if it has one. */
export function isSecretPath(path: readonly string[], kind?: string): boolean {
  if (kind !== undefined && SECRET_KINDS.has(kind)) return true;
  return path.some((name) => (NAMES.test(name) && !NOT_SECRET.test(name)) || FREE_TEXT.has(name));
}
