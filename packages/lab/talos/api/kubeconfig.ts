import { createPrivateKey, createPublicKey } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { HandlerContext } from "@connectrpc/connect";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import { encodePem } from "@talosmith/lib/x509/pem.ts";
import { stringify } from "yaml";
import type { Lab } from "../../kernel/kernel.ts";
import { type MachineConfig, pair, value } from "../config/machine-config.ts";
import { at, list, word } from "../config/validate.ts";
import { derivedP256 } from "../identity.ts";
import { callerOf, looking, requireControlPlane } from "./caller.ts";
import { serial } from "./certificates.ts";

const YEAR_MS = 8_760 * 3_600_000;

/** A gzipped tar that ends right after its only file (docs/facts/talos.md#kubeconfig). */
export async function* kubeconfig(_: unknown, context: HandlerContext) {
  const text = looking(callerOf(context), (called) => adminKubeconfig(called.lab, requireControlPlane(called, "kubeconfig")));
  yield { bytes: gzipSync(Buffer.concat([tarHeader("kubeconfig", Buffer.byteLength(text)), Buffer.from(text)])) };
}

function adminKubeconfig(lab: Lab, config: MachineConfig): string {
  const ca = pair(config, "cluster.ca");
  const accepted = list(value(config, "cluster.acceptedCAs")).map((one) =>
    Buffer.from(word(at(one, "crt")), "base64").toString(),
  );
  const number = lab.serial("talos kubeconfig");
  // Clients check it by real time, not by the lab's.
  const now = lab.world.clock.now() - 10_000;
  const key = derivedP256(lab, "kubeconfig", number);
  const certificate = createCertificate({
    subject: { commonName: "admin", organizations: ["system:masters"] },
    publicKey: createPublicKey(key),
    issuer: { certificate: ca.certificate, key: createPrivateKey(ca.key) },
    serial: serial(lab, "kubeconfig", number),
    notBefore: new Date(now),
    notAfter: new Date(now + YEAR_MS),
    keyUsage: ["digitalSignature", "keyEncipherment"],
    extKeyUsage: ["clientAuth"],
  });
  const [name, user] = [config.clusterName, `admin@${config.clusterName}`];
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const sec1 = encodePem({ label: "EC PRIVATE KEY", der: key.export({ type: "sec1", format: "der" }) });
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name,
          cluster: { server: config.endpoint, "certificate-authority-data": base64([...accepted, ca.certificate].join("")) },
        },
      ],
      users: [{ name: user, user: { "client-certificate-data": base64(certificate), "client-key-data": base64(sec1) } }],
      contexts: [{ context: { cluster: name, namespace: "default", user }, name: user }],
      "current-context": user,
    },
    { lineWidth: 0 },
  );
}

/** Writes a ustar header, with octal numbers. */
function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  const octal = (number: number, length: number) => `${number.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0, "latin1");
  header.write(octal(0o600, 8), 100, "latin1");
  header.write(octal(0, 8), 108, "latin1");
  header.write(octal(0, 8), 116, "latin1");
  header.write(octal(size, 12), 124, "latin1");
  header.write(octal(0, 12), 136, "latin1");
  header.write("        ", 148, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}
