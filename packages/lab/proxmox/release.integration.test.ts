import { afterEach, describe, expect, test } from "vitest";
import { fullVersion, releaseOf } from "./release.ts";
import { Bench } from "./testing/bench.ts";

let bench: Bench;
afterEach(() => bench?.close());

test.each([
  ["8.4", "8.4.21"],
  ["9.2", "9.2.11"],
  ["9.1.4", "9.1.4"],
  ["7.4", undefined],
  ["new", undefined],
])("%s means release %s", (text, version) => {
  expect(fullVersion(text)).toBe(version);
});

/** docs/facts/proxmox.md#releases */
test.each([
  ["9.1.16", { tagsNormalisedAtCreate: false, tagsCheckedAtCreate: false, startCheckedAtCreate: true, customCpu: "mapping" }],
  ["9.2.11", { tagsNormalisedAtCreate: true, tagsCheckedAtCreate: true, startCheckedAtCreate: true, customCpu: "mapping" }],
  ["9.0.9", { startCheckedAtCreate: false, customCpu: "nodes", uniformLogin: false }],
  ["8.4.21", { tagsNormalisedAtCreate: false, importByDefault: false, haRules: false, newOptions: [], uniformLogin: true }],
  ["8.4.16", { uniformLogin: false, messageInBody: true }],
])("%s has the features of that release", (version, flags) => {
  expect(releaseOf({ version })).toMatchObject(flags);
});

describe.each(["8.4", "9.2"])("Proxmox VE %s", (line) => {
  const eight = line === "8.4";

  test("reports its version", async () => {
    bench = await Bench.open({ version: line });
    expect(await bench.client.get("GET", "/version")).toMatchObject({ version: fullVersion(line), release: line });
    const status = await bench.client.get("GET", "/nodes/pve1/status");
    expect(status.pveversion).toMatch(new RegExp(`^pve-manager/${fullVersion(line)}/`));
    expect(status["current-kernel"].release).toMatch(eight ? /^6\.8\./ : /^6\.17\./);
  });

  test("has its own privileges and refuses those of the other major", async () => {
    bench = await Bench.open({ version: line });
    const [own, foreign] = eight ? ["VM.Monitor", "VM.GuestAgent.Audit"] : ["VM.GuestAgent.Audit", "VM.Monitor"];
    expect((await bench.root.call("POST", "/access/roles", { roleid: "Own", privs: `VM.Audit,${own}` })).status).toBe(200);
    const answer = await bench.root.call("POST", "/access/roles", { roleid: "Foreign", privs: `VM.Audit,${foreign}` });
    expect([answer.status, answer.reason]).toEqual([400, "Parameter verification failed."]);
    expect(answer.body.errors).toEqual({ privs: `invalid format - invalid privilege '${foreign}'\n` });
  });

  test("enables image imports by default or not", async () => {
    bench = await Bench.open({ version: line });
    const { content } = await bench.client.get("GET", "/nodes/pve1/storage/local/status");
    expect(content.split(",").includes("import")).toBe(!eight);
  });

  test("places HA machines by groups or by rules", async () => {
    bench = await Bench.open({ version: line });
    const groups = await bench.root.call("GET", "/cluster/ha/groups");
    const rules = await bench.root.call("GET", "/cluster/ha/rules");
    if (eight) {
      expect(groups.body.data).toEqual([]);
      expect([rules.status, rules.reason]).toEqual([501, "Method 'GET /cluster/ha/rules' not implemented"]);
    } else {
      expect([groups.status, groups.reason]).toEqual([500, "cannot index groups: ha groups have been migrated to rules"]);
      expect(rules.body.data).toEqual([]);
    }
  });

  test("lists SDN interfaces in its own format, and accepts its own datacenter options", async () => {
    bench = await Bench.open({ version: line });
    expect((await bench.client.call("GET", "/nodes/pve1/network", { type: "include_sdn" })).status).toBe(eight ? 400 : 200);
    for (const option of [{ replication: "secure" }, { crs: "ha=dynamic" }])
      expect((await bench.root.call("PUT", "/cluster/options", option)).status).toBe(eight ? 400 : 200);
  });

  test("lists networks in its own format", async () => {
    bench = await Bench.open({ version: line });
    const resources: { type: string; id: string }[] = await bench.root.get("GET", "/cluster/resources");
    const ids = resources.filter(({ type }) => type === "sdn" || type === "network").map(({ id }) => id);
    expect(ids).toContain(eight ? "sdn/pve1/localnetwork" : "network/pve1/zone/localnetwork");
  });
});

test("releases before 8.4.17 give the reason of a failed login", async () => {
  bench = await Bench.open({ version: "8.4.10" });
  const reason = async (token: string) =>
    (await bench.person({ Authorization: `PVEAPIToken=${token}` }).call("GET", "/version")).reason;
  expect(await reason("talosmith@pve!lab=00000000-0000-0000-0000-000000000000")).toBe("invalid token value!");
  expect(await reason("talosmith@pve!other=00000000-0000-0000-0000-000000000000")).toBe(
    "no such token 'other' for user 'talosmith@pve'",
  );
  await bench.root.get("PUT", "/access/users/talosmith@pve", { enable: 0 });
  expect(await reason(String(bench.lab.published().proxmox?.token))).toBe("user 'talosmith@pve' is disabled");
});
