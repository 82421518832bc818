import { readFileSync } from "node:fs";
import { join } from "node:path";
import { talosClient } from "@talosmith/lab/talos/testing/client.ts";
import { parse } from "yaml";

interface TalosConfig {
  context: string;
  contexts: Record<string, { ca: string; crt: string; key: string }>;
}

/** Simulates the few talosctl commands in runbooks; the program itself may not be installed. */
export async function talosctl(home: string, command: string): Promise<{ exitCode: number; output: string }> {
  const [, file = "", node = "", words = ""] = /^talosctl --talosconfig (\S+) --nodes (\S+) (.+)$/.exec(command) ?? [];
  const { context, contexts } = parse(readFileSync(join(home, file), "utf8")) as TalosConfig;
  const text = (base64: string | undefined) => Buffer.from(base64 ?? "", "base64").toString("utf8");
  const { ca, crt, key } = contexts[context] ?? {};
  // Talos's PEM label of the key is unknown to OpenSSL.
  const privateKey = text(key).replaceAll("ED25519 PRIVATE KEY", "PRIVATE KEY");
  const client = talosClient(node, { ca: text(ca), certificate: text(crt), key: privateKey });
  try {
    // Defragmentation frees disk space, which the lab's etcd does not use.
    if (words === "etcd defrag") await client.machine.etcdStatus({});
    else if (words === "etcd alarm disarm") await client.machine.etcdAlarmDisarm({});
    else return { exitCode: 1, output: `this test does not simulate talosctl ${words}` };
    return { exitCode: 0, output: "" };
  } finally {
    client.close();
  }
}
