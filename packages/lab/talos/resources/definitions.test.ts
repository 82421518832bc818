import { expect, test } from "vitest";
import { definitionsOf } from "./definitions.ts";

const of = (version: string, type: string) => definitionsOf(version).definitions.get(type);

// Counts of the lists in Talos's v1alpha2_state.go, with the two types of COSI itself.
test("each release has its own types", () => {
  expect(["v1.12.11", "v1.13.9", "v1.14.1"].map((version) => definitionsOf(version).definitions.size)).toEqual([161, 167, 196]);
  expect(of("v1.13.9", "BootIDs.runtime.talos.dev")).toBeUndefined();
  expect(of("v1.14.1", "BootIDs.runtime.talos.dev")).toMatchObject({ namespace: "runtime", sensitive: false });
  expect(of("v1.13.9", "MaintenanceServiceCertificates.secrets.talos.dev")).toBeUndefined();
});

test("some types became sensitive with 1.12.9", () => {
  const sensitive = (version: string) => of(version, "KubeletSpecs.kubernetes.talos.dev")?.sensitive;
  expect(["v1.12.8", "v1.12.9", "v1.13.0"].map(sensitive)).toEqual([false, true, true]);
  expect(of("v1.12.0", "MachineConfigs.config.talos.dev")?.sensitive).toBe(true);
});

// As COSI's ResourceDefinitionSpec.Fill computes them.
test("the aliases of a type are derived from its name", () => {
  expect(of("v1.13.9", "AddressStatuses.net.talos.dev")).toMatchObject({
    displayType: "AddressStatus",
    aliases: ["address", "addresses", "addressstatus", "as"],
    allAliases: [
      "addressstatuses",
      "addressstatuses.net",
      "addressstatuses.net.talos",
      "address",
      "addresses",
      "addressstatus",
      "as",
    ],
  });
  expect(of("v1.13.9", "Identities.cluster.talos.dev")?.displayType).toBe("Identity");
  expect(of("v1.13.9", "MountStatuses.runtime.talos.dev")?.allAliases).toEqual(["mounts"]);
});

test("namespaces are those of the types, and two more", () => {
  expect([...definitionsOf("v1.13.9").namespaces]).toContain("cluster-raw");
  expect(definitionsOf("v1.12.11").namespaces.has("storage")).toBe(false);
  expect(definitionsOf("v1.14.1").namespaces.has("storage")).toBe(true);
});
