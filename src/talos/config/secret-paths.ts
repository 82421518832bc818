/** Keys whose names show that every value below them is secret. */
const NAMES = /(key|token|secret|password|passphrase|^auth)$/i;
const NOT_SECRET = /^publicKey$/i;
/** Free text that may contain credentials: files, manifests, headers, environment variables, URLs with tokens. */
const FREE_TEXT = new Set([
  ...["content", "contents", "manifest", "env", "environment", "variables", "extraManifestHeaders", "headers", "apiUrl"],
  ...["credentialProviderConfig", "webhook", "pods", "pod"],
]);
/** Documents that consist of credentials, under keys whose names do not show it. */
const SECRET_KINDS = new Set(["KubeCredentialProviderConfig"]);

/** Whether a value at this path of a machine config must not be shown. `kind` is that of its document, if it has one. */
export function isSecretPath(path: readonly string[], kind?: string): boolean {
  if (kind !== undefined && SECRET_KINDS.has(kind)) return true;
  return path.some((name) => (NAMES.test(name) && !NOT_SECRET.test(name)) || FREE_TEXT.has(name));
}
