import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { Bench } from "@talosmith/lab/kubernetes/testing/bench.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import { Place } from "./place.ts";

/** The lab's own. */
export async function labServer(): Promise<Place> {
  const bench = await Bench.open({ workers: 0 });
  const person = async (user: string, groups: string[]) => {
    const { certificate = "", key = "" } = (await bench.user(user, groups)).who;
    return { certificate, key };
  };
  return Place.at({ url: bench.server, ca: bench.ca, person }, bench);
}

/** An external server, described by the file: its address, and its client CA with the key. */
export function realServer(file: string): Promise<Place> {
  const { url, ca, caKey } = JSON.parse(readFileSync(file, "utf8")) as { url: string; ca: string; caKey: string };
  const { keys, random } = realWorld();
  const person = async (user: string, groups: string[]) => {
    const { publicKey, privateKey } = await keys.p256();
    const certificate = createCertificate({
      subject: { commonName: user, organizations: groups },
      publicKey,
      issuer: { certificate: ca, key: createPrivateKey(caKey) },
      serial: random.bytes(16),
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      keyUsage: ["digitalSignature", "keyEncipherment"],
      extKeyUsage: ["clientAuth"],
    });
    return { certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
  };
  return Place.at({ url, ca, person });
}
