import { execFileSync } from "node:child_process";
import { gunzipSync } from "node:zlib";
import { EventType } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { ApplyConfigurationRequest_Mode as Mode } from "@talosmith/wire/gen/machine/machine_pb.js";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { refusalOf, TalosBench } from "../testing/bench.ts";
import type { TalosClient } from "../testing/client.ts";

let bench: TalosBench;
afterEach(() => bench?.close());

async function bytesOf(stream: AsyncIterable<{ bytes: Uint8Array }>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const { bytes } of stream) parts.push(bytes);
  return Buffer.concat(parts);
}

async function waiting(version: string): Promise<TalosClient> {
  bench = await TalosBench.open();
  const client = bench.client(await bench.machine(101, 11, { version }));
  await bench.eventually(() => client.storage.disks({}));
  return client;
}

/** docs/facts/talos.md#methods-and-roles */
describe("maintenance mode", () => {
  test("1.12 answers Disks and resources, and few other calls", async () => {
    const client = await waiting("v1.12.11");
    expect((await bench.resource(client, "runtime", "Versions.runtime.talos.dev", "version")).version).toBe("v1.12.11");
    expect(await refusalOf(client.machine.version({}))).toEqual({
      code: "Unimplemented",
      text: "API is not implemented in maintenance mode",
    });
    expect((await refusalOf(client.machine.serviceList({}))).code).toBe("Unimplemented");
  });

  test("1.13 answers the calls of a reader, and denies the rest", async () => {
    const client = await waiting("v1.13.9");
    const { messages } = await client.machine.version({});
    expect(messages[0]?.version?.tag).toBe("v1.13.9");
    expect(messages[0]?.platform).toMatchObject({ name: "nocloud", mode: "cloud" });
    expect(await refusalOf(client.machine.reboot({}))).toEqual({ code: "PermissionDenied", text: "not authorized" });
    const config = { namespace: "config", type: "MachineConfigs.config.talos.dev", id: "v1alpha1" };
    expect(await refusalOf(client.state.get(config))).toEqual({ code: "PermissionDenied", text: "not authorized" });
  });

  test("1.12 accepts a config with mode auto only, and reports errors in its own words", async () => {
    const client = await waiting("v1.12.11");
    const config = bench.cluster("test", undefined, "v1.12.11").config("controlplane", "cp-1");
    const apply = (text: string, mode: Mode) => client.machine.applyConfiguration({ data: Buffer.from(text), mode });
    expect(await refusalOf(apply(config, Mode.STAGED))).toEqual({
      code: "Unimplemented",
      text: "apply configuration --mode='staged' is not supported in maintenance mode",
    });
    const unknown = await refusalOf(apply(config.replace("debug:", "debugg:"), Mode.AUTO));
    expect(unknown.code).toBe("Unknown");
    expect(unknown.text).toMatch(
      /^failed to parse config: error decoding document .*unknown keys found during decoding:\ndebugg: "?false"?\n$/s,
    );
    const invalid = await refusalOf(apply(config.replace("type: controlplane", "type: boss"), Mode.AUTO));
    expect(invalid.code).toBe("InvalidArgument");
    expect(invalid.text).toMatch(/^configuration validation failed: 1 error occurred:.*unknown machine type "boss"/s);
    const { messages } = await apply(config, Mode.AUTO);
    expect(messages[0]).toMatchObject({ mode: 0, modeDetails: "" });
  });

  test("documents without machine and cluster are accepted, and the machine stays in maintenance", async () => {
    const client = await waiting("v1.13.9");
    const data = Buffer.from("apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: early\n");
    await client.machine.applyConfiguration({ data, mode: Mode.AUTO });
    expect((await client.machine.hostname({})).messages[0]?.hostname).toBe("early");
  });

  test("every boot has another key, which does not identify the machine", async () => {
    const client = await waiting("v1.13.9");
    expect(
      (await refusalOf(bench.client(bench.lab.address.host(11), bench.cluster().client()).machine.version({}))).text,
    ).toMatch(/self[- ]signed certificate/);
    await client.machine.version({});
  });
});

describe("a configured machine", () => {
  test("rejects clients without a certificate, with one of another cluster, or with one that is also for servers", async () => {
    bench = await TalosBench.open();
    const cluster = bench.cluster();
    const { address } = await bench.controlPlane(cluster, 101, 11);
    const codes = await Promise.all(
      [
        undefined,
        { ...bench.cluster().client(), ca: cluster.os.certificate },
        cluster.client(["os:admin"], ["clientAuth", "serverAuth"]),
      ].map(async (identity) => (await refusalOf(bench.client(address, identity).machine.version({}))).code),
    );
    expect(codes).not.toContain("OK");
  });

  test("keeps its API closed when its config has an invalid CA", async () => {
    bench = await TalosBench.open();
    const address = await bench.machine(101, 11);
    const config = bench.cluster().config("controlplane", "cp-1", [], (main) => {
      main.machine.ca = { crt: "bm9uZQ==", key: "bm9uZQ==" };
    });
    await bench.apply(address, config);
    await bench.eventually(() => expect(bench.state.machines["vm 101"]?.boot?.api).toBe("certificates"));
    expect((await refusalOf(bench.client(address).machine.version({}))).code).not.toBe("OK");
    bench.lab.settle();
  });

  test("lets readers read and operators operate", async () => {
    bench = await TalosBench.open();
    const cluster = bench.cluster();
    const { address } = await bench.controlPlane(cluster, 101, 11);
    const [reader, operator] = ["os:reader", "os:operator"].map((role) => bench.client(address, cluster.client([role])));
    await reader?.machine.serviceList({});
    expect(await refusalOf(reader?.machine.reboot({}) as Promise<unknown>)).toEqual({
      code: "PermissionDenied",
      text: "not authorized",
    });
    expect(await refusalOf(bytesOf(operator?.machine.kubeconfig({}) as AsyncIterable<{ bytes: Uint8Array }>))).toMatchObject({
      code: "PermissionDenied",
    });
    await operator?.machine.reboot({});
  });

  test("returns a kubeconfig in a tar that ends after its file", async () => {
    bench = await TalosBench.open();
    const cluster = bench.cluster();
    const { client } = await bench.controlPlane(cluster, 101, 11);
    const tar = gunzipSync(await bytesOf(client.machine.kubeconfig({})));
    const size = Number.parseInt(tar.toString("latin1", 124, 136), 8);
    expect(tar.length).toBe(512 + size);
    const config = parse(tar.toString("utf8", 512));
    expect(config["current-context"]).toBe("admin@test");
    expect(config.clusters[0].cluster.server).toBe("https://10.10.0.5:6443");
    const certificate = Buffer.from(config.users[0].user["client-certificate-data"], "base64");
    const shown = execFileSync("openssl", ["x509", "-noout", "-subject"], { input: certificate }).toString();
    expect(shown.replaceAll(" ", "")).toContain("O=system:masters,CN=admin");
  });

  test("reports which changes need a reboot", async () => {
    bench = await TalosBench.open();
    const cluster = bench.cluster();
    const { client } = await bench.controlPlane(cluster, 101, 11);
    const labelled = cluster.config("controlplane", "cp-11", [], (main) => {
      main.machine.nodeLabels.tier = "general";
    });
    const filed = cluster.config("controlplane", "cp-11", [], (main) => {
      main.machine.files = [{ path: "/var/x", content: "x", permissions: 420, op: "create" }];
    });
    const apply = (text: string, mode: Mode, dryRun = false) =>
      client.machine.applyConfiguration({ data: Buffer.from(text), mode, dryRun });
    // Texts in Talos's server code.
    expect((await apply(labelled, Mode.AUTO)).messages[0]).toMatchObject({
      mode: Mode.NO_REBOOT,
      modeDetails: "Applied configuration without a reboot",
    });
    const refused = await refusalOf(apply(filed, Mode.NO_REBOOT));
    expect(refused.code).toBe("InvalidArgument");
    expect(refused.text).toMatch(/^this config change can't be applied in immediate mode\ndiff:\n/);
    expect((await apply(filed, Mode.AUTO, true)).messages[0]?.modeDetails).toMatch(
      /^Dry run summary:\nApplied configuration with a reboot/,
    );
    expect(bench.nodes()[0]?.kubelet.labels.tier).toBe("general");
    const { messages } = await apply(filed, Mode.AUTO);
    expect(messages[0]?.mode).toBe(Mode.REBOOT);
    await bench.eventually(() => expect(bench.state.machines["vm 101"]?.boot?.appliedForReboot).toBeUndefined());
    await bench.eventually(() => client.machine.version({}));
    expect(bench.state.machines["vm 101"]?.boot?.config).toBe(filed);
  });

  test("reverts a tried config that is not confirmed", async () => {
    bench = await TalosBench.open({ timeScale: 50 });
    const cluster = bench.cluster();
    const { client } = await bench.controlPlane(cluster, 101, 11);
    const tried = cluster.config("controlplane", "cp-other");
    const { messages } = await client.machine.applyConfiguration({ data: Buffer.from(tried), mode: Mode.TRY });
    expect(messages[0]?.modeDetails).toContain("will be automatically reverted back in 1m0s");
    await bench.eventually(async () => expect((await client.machine.hostname({})).messages[0]?.hostname).toBe("cp-other"));
    await bench.eventually(async () => expect((await client.machine.hostname({})).messages[0]?.hostname).toBe("cp-11"));
  });

  test("streams events from the beginning, an empty one first", async () => {
    bench = await TalosBench.open();
    const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
    const kinds: string[] = [];
    for await (const { data } of client.machine.events({ tailEvents: -1 })) {
      kinds.push(data?.typeUrl ?? "");
      if (kinds.includes("talos/runtime/machine.MachineStatusEvent") && kinds.includes("talos/runtime/machine.ServiceStateEvent"))
        break;
    }
    expect(kinds[0]).toBe("");
  });

  test("sends a watcher the existing resources, the end of them, and changes", async () => {
    bench = await TalosBench.open();
    const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
    const seen: string[] = [];
    const request = {
      namespace: "runtime",
      type: "Services.v1alpha1.talos.dev",
      apiVersion: 1,
      options: { bootstrapContents: true },
    };
    let bootstrapped = false;
    for await (const { event } of client.state.watch(request)) {
      if (event.length === 0) seen.push("stands");
      for (const { eventType, resource } of event) {
        if (eventType === EventType.BOOTSTRAPPED) {
          seen.push("all");
          if (!bootstrapped) await client.machine.bootstrap({}).catch(() => {});
          bootstrapped = true;
        } else if (resource?.metadata?.id === "etcd") seen.push(EventType[eventType]);
      }
      if (seen.includes("CREATED")) break;
    }
    expect(seen).toEqual(["stands", "all", "CREATED"]);
  });

  test("denies unknown resource types, and reports missing resources", async () => {
    bench = await TalosBench.open();
    const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
    // Texts of Talos's access policy and COSI's state.
    expect(await refusalOf(client.state.get({ namespace: "runtime", type: "Unicorns.talos.dev", id: "x" }))).toEqual({
      code: "PermissionDenied",
      text: 'resource type "Unicorns.talos.dev" is not supported',
    });
    expect((await refusalOf(client.state.get({ namespace: "runtime", type: "Services.v1alpha1.talos.dev", id: "x" }))).code).toBe(
      "NotFound",
    );
    const { spec } =
      (await client.state.get({ namespace: "config", type: "MachineConfigs.config.talos.dev", id: "v1alpha1" })).resource ?? {};
    expect(parse(spec?.yamlSpec ?? "")).toBe(bench.state.machines["vm 101"]?.boot?.config);
  });

  test("forwards calls to other nodes of its cluster", async () => {
    bench = await TalosBench.open();
    const cluster = bench.cluster();
    const one = await bench.controlPlane(cluster, 101, 11);
    const two = await bench.controlPlane(cluster, 102, 12);
    const named = async (headers: Record<string, string>) => (await one.client.machine.hostname({}, { headers })).messages;
    expect((await named({ node: two.address }))[0]?.hostname).toBe("cp-12");
    const both = await named({ nodes: `${one.address}, ${two.address}` });
    expect(both.map(({ hostname, metadata }) => [metadata?.hostname, hostname])).toEqual([
      [one.address, "cp-11"],
      [two.address, "cp-12"],
    ]);
    expect((await refusalOf(named({ node: bench.lab.address.host(99) }))).code).toBe("Unavailable");
  });

  test("addresses of a link in the config are added to those of the platform", async () => {
    bench = await TalosBench.open();
    const mac = "bc:24:11:00:00:0b";
    const more = [
      {
        apiVersion: "v1alpha1",
        kind: "LinkAliasConfig",
        name: "net0",
        selector: { match: `mac(link.permanent_addr) == "${mac}"` },
      },
      { apiVersion: "v1alpha1", kind: "LinkConfig", name: "net0", addresses: [{ address: `${bench.lab.address.host(77)}/24` }] },
    ];
    const cluster = bench.cluster();
    await bench.controlPlane(cluster, 101, 11, more);
    const client = bench.client(bench.lab.address.host(77), cluster.client());
    await bench.eventually(() => client.machine.version({}));
    const { addresses } = await bench.resource(client, "network", "NodeAddresses.net.talos.dev", "current");
    expect(addresses).toEqual([`${bench.lab.address.host(77)}/24`, `${bench.lab.address.host(11)}/24`]);
  });
});
