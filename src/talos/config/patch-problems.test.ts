import type { Json } from "@talosmith/lib/json.ts";
import { describe, expect, test } from "vitest";
import type { UserPatch } from "../../config/config.ts";
import { patchProblems } from "./patch-problems.ts";
import { userPatch } from "./testing/user-patch.ts";

const document = (kind: string, rest: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${rest}`;
const asWritten = (documents: readonly Json[]): UserPatch => ({
  title: "patches.all[0]",
  documents: documents as UserPatch["documents"],
  where: (index, path) => ({ file: "config.yaml", line: index + 1, column: 1, frame: path.join("/") }),
});

/** Message, place and hint of the only problem. */
function problem(patch: UserPatch, talos = "v1.13.9") {
  const problems = patchProblems([patch], talos);
  expect(problems).toHaveLength(1);
  const [{ kind, message, hint, where } = {}] = problems;
  expect(kind).toBe("user");
  return { message, hint, place: where?.frame };
}

describe("a patch has a problem when it has", () => {
  test.each([
    [
      "an unknown key",
      "machine: { netwrok: {} }",
      "machine.netwrok is not a known key",
      "machine/netwrok",
      "did you mean network?",
    ],
    [
      "an unknown key that is like none",
      "machine: { kubelet: { nodeIP: { zzz: 1 } } }",
      "machine.kubelet.nodeIP.zzz is not a known key",
      "machine/kubelet/nodeIP/zzz",
      "remove it; the keys known here are validSubnets",
    ],
    [
      "an unknown key in a list",
      document("LinkConfig", "name: net0\nroutes: [{ gatway: 10.0.0.1 }]"),
      "LinkConfig net0 routes[0].gatway is not a known key",
      "routes/0/gatway",
      "did you mean gateway?",
    ],
    [
      "a list where a section belongs",
      "machine: { sysctls: [a] }",
      "machine.sysctls must be a section of keys, not a list",
      "machine/sysctls",
      "write the keys below it, indented",
    ],
    [
      "one value where a list belongs",
      "machine: { certSANs: a.example.org }",
      "machine.certSANs must be a list, not a single value",
      "machine/certSANs",
      "write its elements below it, each behind a dash",
    ],
    [
      "text where a number belongs",
      document("LinkConfig", 'name: net0\nmtu: "9000"'),
      "LinkConfig net0 mtu must be a whole number from 0 to 4294967295",
      "mtu",
      "write a whole number from 0 to 4294967295, such as 1500",
    ],
    [
      "a number where a duration belongs",
      document("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: 60"),
      "WatchdogTimerConfig timeout must be a duration",
      "timeout",
      "write a duration, such as 1m30s",
    ],
    [
      "another word than those to choose from",
      document("BondConfig", "name: bond0\nbondMode: 802.3da"),
      "BondConfig bond0 bondMode must be balance-rr, active-backup, balance-xor, broadcast, 802.3ad, balance-tlb or balance-alb",
      "bondMode",
      "did you mean 802.3ad?",
    ],
    [
      "an unknown kind",
      document("LinkConfgi", "name: net0"),
      "LinkConfgi net0 is not a kind that Talos knows",
      "kind",
      "did you mean LinkConfig?",
    ],
    [
      "a kind of a newer Talos",
      document("KubeletConfig", "image: a"),
      "KubeletConfig comes with Talos 1.14",
      "kind",
      "remove it, or use Talos 1.14: this is Talos 1.13",
    ],
    [
      "a key of a newer Talos",
      document("TimeSyncConfig", "ntp: { servers: [a], useNTS: true }"),
      "TimeSyncConfig ntp.useNTS comes with Talos 1.14",
      "ntp/useNTS",
      "remove it, or use Talos 1.14: this is Talos 1.13",
    ],
    [
      "no name where one is needed",
      document("LinkConfig", "up: true"),
      "LinkConfig has no name",
      "kind",
      "write name: … ; a LinkConfig is known by it",
    ],
    [
      "another word than delete",
      "machine: { sysctls: { $patch: replace } }",
      "machine.sysctls.$patch can only be delete",
      "machine/sysctls/$patch",
      "write $patch: delete; everything else is merged as it stands",
    ],
    [
      "a deletion inside an element",
      "cluster: { inlineManifests: [{ name: a, contents: { $patch: delete } }] }",
      "cluster.inlineManifests[0].contents cannot be deleted: nothing can be deleted inside an element of a list",
      "cluster/inlineManifests/0/contents/$patch",
      "delete the whole element and add it again",
    ],
    [
      "a deletion of an element by a number, which Talos cannot compare",
      "machine: { network: { interfaces: [{ mtu: 1500, $patch: delete }] } }",
      "machine.network.interfaces[0] cannot be found by its mtu",
      "machine/network/interfaces/0/mtu",
      "name it by a key that holds text",
    ],
    [
      "a deletion of an element without its name",
      "cluster: { inlineManifests: [{ $patch: delete }] }",
      "cluster.inlineManifests[0] does not say which element it deletes",
      "cluster/inlineManifests/0/$patch",
      "write { name: X, $patch: delete }",
    ],
    [
      "a deletion of the main document",
      "version: v1alpha1\n$patch: delete",
      "cannot delete the main document",
      "$patch",
      "name apiVersion and kind of the document to delete",
    ],
    [
      "a certificate that is not base64",
      "machine: { ca: { crt: '-----BEGIN CERTIFICATE-----' } }",
      "machine.ca.crt must be base64",
      "machine/ca/crt",
      "write base64, such as dGV4dA==",
    ],
  ])("%s", (_, text, message, place, hint) => {
    expect(problem(userPatch(text))).toEqual({ message: `patches/one.yaml: ${message}`, place, hint });
  });

  test("the form of a JSON patch, as a list or as one operation", () => {
    const operation = { op: "add", path: "/machine/sysctls", value: {} };
    for (const one of [operation, [operation]]) {
      expect(problem(asWritten([one]))).toEqual({
        message: "patches.all[0]: is a JSON patch (RFC 6902), which Talos takes for one document only",
        place: "",
        hint: "write the keys as they stand in the machine config, such as machine: { sysctls: { vm.swappiness: '1' } }",
      });
    }
  });

  test("a kind without apiVersion, or the other way round", () => {
    expect(problem(asWritten([{ kind: "LinkConfig", name: "net0" }])).hint).toBe("write apiVersion: v1alpha1");
    expect(problem(asWritten([{ apiVersion: "v1alpha1", machine: {} }])).place).toBe("apiVersion");
  });
});

describe("a patch has no problem when it", () => {
  test.each([
    [
      "deletes documents, parts and elements",
      `machine: { sysctls: { a: { $patch: delete } }, install: { $patch: delete } }\ncluster: { inlineManifests: [{ name: a, $patch: delete }] }\n---\n${document("LinkConfig", "name: net0\n$patch: delete")}`,
    ],
    ["says what Talos does not look into", "machine: { kubelet: { extraConfig: { a: [1, { b: c, $patch: x }] } } }"],
    ["holds secrets", "machine: { token: a.b, ca: { crt: YQ==, key: '******' } }"],
    [
      "writes numbers and switches where text belongs",
      "machine: { sysctls: { vm.swappiness: 1, a: true }, nodeLabels: { a: null } }",
    ],
    ["uses the words of YAML 1.1", "machine: { install: { wipe: yes } }"],
    ["has arguments with several values", "machine: { kubelet: { extraArgs: { feature-gates: [A=true, B=true] } } }"],
  ])("%s", (_, text) => {
    expect(patchProblems([userPatch(text)], "v1.13.9")).toEqual([]);
  });
});

test("a list of values for an argument is a problem before Talos 1.13", () => {
  const patch = userPatch("machine: { kubelet: { extraArgs: { a: [b] } } }");
  expect(problem(patch, "v1.12.7").message).toContain("machine.kubelet.extraArgs.a must be a single value, not a list");
});

test("all problems of all patches are reported at once, those of a shared patch once", () => {
  const shared = userPatch(`machine: { netwrok: {}, certSANs: 1 }\n---\n${document("LinkConfig", "mtu: -1")}`);
  const other = userPatch("clutser: {}", "patches/two.yaml");
  const found = patchProblems([shared, shared, other, shared], "v1.13.9");
  expect(found.map(({ where }) => `${where?.file}:${where?.line}:${where?.frame}`)).toEqual([
    "patches/one.yaml:1:machine/netwrok",
    "patches/one.yaml:1:machine/certSANs",
    "patches/one.yaml:2:kind",
    "patches/one.yaml:2:mtu",
    "patches/two.yaml:1:clutser",
  ]);
});
