import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import ipaddr from "ipaddr.js";
import type { Lab } from "../../kernel/kernel.ts";
import { type MachineConfig, machineConfig } from "../config/machine-config.ts";
import { derivedBytes, derivedEd25519 } from "../identity.ts";
import { addressesOf, networkOf } from "../machine/network.ts";
import { type Boot, type Machine, talosState } from "../state.ts";

/** Clients check validity by their own clocks, whatever the lab's time is. */
const NOT_BEFORE = new Date("2025-01-01T00:00:00Z");
const NOT_AFTER = new Date("2045-01-01T00:00:00Z");

export interface ServerIdentity {
  certificate: string;
  key: string;
}

export function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/**
 * In maintenance mode a machine has no identity, only a key that is new at each boot (docs/facts/talos.md#connections-and-modes). The certificate
 * contains the machine's name, so a config with a name creates a new certificate with a new key.
 */
export function maintenanceIdentity(lab: Lab, machine: Machine, boot: Boot): ServerIdentity {
  const caKey = derivedEd25519(lab, "maintenance ca", boot.number);
  const key = derivedEd25519(lab, boot.api === "maintenance" ? "maintenance" : "maintenance with a config", boot.number);
  const times = { notBefore: NOT_BEFORE, notAfter: NOT_AFTER };
  const ca = createCertificate({
    subject: { organizations: ["talos"] },
    publicKey: createPublicKey(caKey),
    issuer: { key: caKey },
    serial: serial(lab, "maintenance ca", boot.number),
    ...times,
    ca: {},
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth", "clientAuth"],
    subjectKeyId: derivedBytes(lab, 20, "maintenance ca id", boot.number),
  });
  const certificate = createCertificate({
    subject: { commonName: "maintenance-service.talos.dev" },
    publicKey: createPublicKey(key),
    issuer: { certificate: ca, key: caKey },
    serial: serial(lab, "maintenance", boot.number),
    ...times,
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: [...addressesOf(machine), "127.0.0.1"], dns: ["maintenance-service.talos.dev"] },
  });
  return { certificate: certificate + ca, key: pemOf(key) };
}

/** The node's certificate, issued by machine.ca; on a worker by a control plane with the CA's key. */
export function nodeIdentity(lab: Lab, machine: Machine, boot: Boot, config: MachineConfig): ServerIdentity | undefined {
  const caKey = privateKey(config.ca.key ?? keyOfSigner(lab, config));
  // Talos does not check the CA before it needs it: with an invalid CA its API never comes up.
  if (!caKey || !isCertificate(config.ca.certificate)) return undefined;
  const key = derivedEd25519(lab, "apid", boot.number);
  const { hostname } = networkOf(machine);
  const names = [...config.certSans, ...addressesOf(machine), "127.0.0.1", hostname, "localhost"];
  const certificate = createCertificate({
    subject: { commonName: hostname },
    publicKey: createPublicKey(key),
    issuer: { certificate: config.ca.certificate, key: caKey },
    serial: serial(lab, "apid", boot.number),
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: {
      ip: unique(names.filter((name) => ipaddr.isValid(name))),
      dns: unique(names.filter((name) => !ipaddr.isValid(name))),
    },
  });
  return { certificate, key: pemOf(key) };
}

export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

function privateKey(pem: string | undefined): KeyObject | undefined {
  try {
    return pem === undefined ? undefined : createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}

export function serial(lab: Lab, ...of: (string | number)[]): Buffer {
  const bytes = derivedBytes(lab, 16, "serial", ...of);
  bytes[0] = (bytes[0] ?? 0) | 1;
  return bytes;
}

/** The CA's key. The signing control plane may be off by now: its signatures stay valid. */
function keyOfSigner(lab: Lab, config: MachineConfig): string | undefined {
  const { machines, disks } = talosState(lab);
  const running = Object.values(machines).map(({ boot }) => boot?.config);
  for (const text of [...running, ...Object.values(disks).map((disk) => disk.config)]) {
    const other = text === undefined ? undefined : machineConfig(text);
    if (other?.ca.key !== undefined && other.token === config.token && other.ca.certificate === config.ca.certificate)
      return other.ca.key;
  }
  return undefined;
}

const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

/** The Talos API accepts certificates whose only usage is clientAuth (docs/facts/talos.md#client-certificates). */
export function isForClientsOnly(certificate: X509Certificate): boolean {
  return certificate.keyUsage?.length === 1 && certificate.keyUsage[0] === CLIENT_AUTH;
}

/** The roles of a certificate: its organizations, of which several may be on one line. */
export function rolesIn(certificate: X509Certificate): string[] {
  return (certificate.subject ?? "")
    .split(/\n| \+ /)
    .filter((part) => part.startsWith("O="))
    .map((part) => part.slice(2));
}

export function readCertificate(raw: Uint8Array): X509Certificate {
  return new X509Certificate(raw);
}
