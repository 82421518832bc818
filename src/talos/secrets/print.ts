import type { Authority, SecretsBundle } from "./bundle.ts";

/** `secrets.yaml` byte for byte as talosctl writes it. */
export function printSecrets(bundle: SecretsBundle): string {
  const { cluster, secrets, trustdInfo, certs } = bundle;
  return [
    "cluster:",
    `    id: ${scalar(cluster.id)}`,
    `    secret: ${scalar(cluster.secret.reveal())}`,
    "secrets:",
    `    bootstraptoken: ${scalar(secrets.bootstrapToken.reveal())}`,
    `    ${secrets.encryption.kind}encryptionsecret: ${scalar(secrets.encryption.value.reveal())}`,
    "trustdinfo:",
    `    token: ${scalar(trustdInfo.token.reveal())}`,
    "certs:",
    ...authority("etcd", certs.etcd),
    ...authority("k8s", certs.k8s),
    ...authority("k8saggregator", certs.k8sAggregator),
    "    k8sserviceaccount:",
    `        key: ${base64(certs.k8sServiceAccount.key.reveal())}`,
    ...authority("os", certs.os),
    "",
  ].join("\n");
}

function authority(name: string, ca: Authority): string[] {
  return [`    ${name}:`, `        crt: ${base64(ca.certificate)}`, `        key: ${base64(ca.key.reveal())}`];
}

function base64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}

/** Plain where Go's writer leaves it plain; a token of digits only would be read as a number, a leading "---" as a document. */
function scalar(value: string): string {
  if (value.startsWith("---")) return `'${value.replaceAll("'", "''")}'`;
  const plain = /^[A-Za-z0-9+/_-][A-Za-z0-9+/=_.-]*$/.test(value);
  const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value) || /^[-+]?0[xob][0-9a-f]+$/i.test(value);
  const word = /^(true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return plain && !number && !word ? value : JSON.stringify(value);
}
