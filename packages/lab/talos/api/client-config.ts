import { createPrivateKey, createPublicKey } from "node:crypto";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import { stringify } from "yaml";
import { derivedEd25519 } from "../identity.ts";
import { callerOf, changing, requireControlPlane } from "./caller.ts";
import { pemOf, serial } from "./certificates.ts";

const ROLES = ["os:admin", "os:operator", "os:reader", "os:etcd:backup", "os:meta:writer", "os:impersonator"];

/** Creates a talosconfig with these roles, signed by the node. */
export const clientConfigMethods: Partial<ServiceImpl<typeof MachineService>> = {
  generateClientConfiguration: ({ roles: asked, crtTtl }, context) =>
    changing(callerOf(context), (called) => {
      const { lab } = called;
      const config = requireControlPlane(called, "generate client configuration");
      const lifetime = crtTtl ? durationMs(crtTtl) : 0;
      if (lifetime <= 0) throw new ConnectError("crt_ttl should be positive", Code.InvalidArgument);
      const roles = asked.filter((role) => ROLES.includes(role));
      const number = lab.serial("talos client configuration");
      const key = derivedEd25519(lab, "client configuration", number);
      // Clients check it by real time, not by the lab's.
      const now = lab.world.clock.now() - 10_000;
      const certificate = createCertificate({
        subject: { organizations: roles },
        publicKey: createPublicKey(key),
        issuer: { certificate: config.ca.certificate, key: createPrivateKey(config.ca.key ?? "") },
        serial: serial(lab, "client configuration", number),
        notBefore: new Date(now),
        notAfter: new Date(now + lifetime),
        keyUsage: ["digitalSignature"],
        extKeyUsage: ["clientAuth"],
      });
      const talosKey = pemOf(key).replaceAll("PRIVATE KEY", "ED25519 PRIVATE KEY");
      const [only] = roles;
      const name =
        roles.length === 1 && only !== undefined ? `${only.replace("os:", "")}@${config.clusterName}` : config.clusterName;
      const base64 = (text: string) => Buffer.from(text).toString("base64");
      const entry = { endpoints: [], ca: base64(config.ca.certificate), crt: base64(certificate), key: base64(talosKey) };
      return {
        messages: [
          {
            ca: Buffer.from(config.ca.certificate),
            crt: Buffer.from(certificate),
            key: Buffer.from(talosKey),
            talosconfig: Buffer.from(stringify({ context: name, contexts: { [name]: entry } }, { lineWidth: 0 })),
          },
        ],
      };
    }),
};
