import { expect, test } from "vitest";
import { changed, failure, load, loadMetal, METAL, problems } from "../../../config/testing/config-in-memory.ts";
import { plainNode } from "../../../config/testing/plain-node.ts";

const told = (changes: Record<string, string>) => problems(changed(changes, METAL));

test("existing machines need an address and get the default disk", () => {
  const { config } = loadMetal(METAL);
  expect(config.nodes).toEqual([
    plainNode({ name: "cp", role: "controlplane", ip: "10.10.0.11" }),
    plainNode({ name: "worker-1", role: "worker", ip: "10.10.0.21" }),
    plainNode({ name: "worker-2", role: "worker", ip: "10.10.0.22" }),
  ]);
  expect(config).not.toHaveProperty("proxmox");
});

test("a good file has no warnings", () => {
  expect(loadMetal(METAL).warnings).toEqual([]);
});

test("installDisk can be set for one node or for many", () => {
  const config = changed(
    { "nodes:": "defaults: { all: { installDisk: /dev/vda } }\nnodes:", "count: 2,": "count: 1, installDisk: /dev/nvme0n1," },
    METAL,
  );
  expect(loadMetal(config).config.nodes.map(({ installDisk }) => installDisk)).toEqual(["/dev/vda", "/dev/nvme0n1"]);
});

test("a disk is named by its path", () => {
  expect(told({ "count: 2": "count: 2, installDisk: sda" })).toEqual(["13:58 nodes[1].installDisk is not a disk path"]);
});

test("the section proxmox is refused with one problem", () => {
  expect(told({ "nodes:": "proxmox: { url: x }\nnodes:" })).toEqual(["9:1 proxmox is set, but platform is metal"]);
});

test("settings that describe a new machine are refused at every path", () => {
  expect(
    told({
      "nodes:": "defaults:\n  all: { cores: 1, onboot: true }\nimage: { method: import }\nnodes:",
      "count: 2": "count: 2, memory: 1MiB, vmid: 100",
    }),
  ).toEqual([
    "10:10 defaults.all.cores describes a machine to create, but platform metal creates none",
    "10:20 defaults.all.onboot describes a machine to create, but platform metal creates none",
    "11:10 image.method sets how machines are created, but platform metal creates none",
    "16:45 nodes[1].memory describes a machine to create, but platform metal creates none",
    "16:59 nodes[1].vmid describes a machine to create, but platform metal creates none",
  ]);
});

test("a virtual IP needs to know the network card of every control plane", () => {
  const [problem, ...others] = failure(changed({ "endpoint: 10.10.0.11": "endpoint: 10.10.0.5" }, METAL)).problems;
  expect(others).toEqual([]);
  expect([problem?.code, problem?.where?.line, problem?.message]).toEqual([
    "CONFIG_MISSING_KEY",
    10,
    "nodes[0].mac is missing: the virtual IP 10.10.0.5 (line 4) needs to know its network card",
  ]);
});

test("a control plane with mac can have a virtual IP", () => {
  const config = changed(
    { "endpoint: 10.10.0.11": "endpoint: 10.10.0.5", "name: cp": 'name: cp\n    mac: "bc:24:11:00:00:11"' },
    METAL,
  );
  const { cluster, nodes } = loadMetal(config).config;
  expect([cluster.vip, nodes[0]?.mac]).toEqual(["10.10.0.5", "BC:24:11:00:00:11"]);
});

test("two machines cannot have one network card", () => {
  expect(
    told({ "name: cp": 'name: cp\n    mac: "BC:24:11:00:00:11"', "count: 2": 'count: 1, mac: "bc:24:11:00:00:11"' }),
  ).toEqual(["14:50 nodes[1].mac is the same as nodes[0].mac"]);
});

test("the hint for a gateway outside the network names this platform's reason", () => {
  const [problem] = failure(changed({ "gateway: 10.10.0.1": "gateway: 10.10.9.1" }, METAL)).problems;
  expect(problem?.hint).toBe("choose an address from 10.10.0.1 to 10.10.0.254: nodes reach their gateway directly");
});

test("on Proxmox the section proxmox is required, and reported once when it is misspelt", () => {
  expect(problems("platform: proxmox\ncluster: { name: a, endpoint: 10.0.0.5, talos: v1.13.9 }\n")).toContain(
    "1:1 proxmox is missing",
  );
  expect(problems(changed({ "proxmox:\n  url": "proxmoks:\n  url" }))).toEqual(["9:1 proxmoks is not a known key"]);
  expect(load(changed({})).config.platform).toBe("proxmox");
});
