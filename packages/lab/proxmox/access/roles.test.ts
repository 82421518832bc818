import { expect, test } from "vitest";
import { builtInRoles, deployerPrivileges, privilegesOfRelease } from "./roles.ts";

const EIGHT = { version: "8.4.21" };
const NINE = { version: "9.2.11" };

/** Counts of privgroups in PVE::AccessControl, branches stable-bookworm and master. */
test.each([
  [EIGHT, 42],
  [NINE, 47],
])("%o knows %i privileges", (of, count) => {
  expect(new Set(privilegesOfRelease(of)).size).toBe(count);
});

test("the agent is VM.Monitor in Proxmox VE 8 and VM.GuestAgent.* in 9", () => {
  expect(privilegesOfRelease(EIGHT)).toContain("VM.Monitor");
  expect(privilegesOfRelease(NINE)).not.toContain("VM.Monitor");
  const only9 = privilegesOfRelease(NINE).filter((privilege) => !privilegesOfRelease(EIGHT).includes(privilege));
  expect(only9).toEqual([
    "VM.GuestAgent.Audit",
    "VM.GuestAgent.FileRead",
    "VM.GuestAgent.FileSystemMgmt",
    "VM.GuestAgent.FileWrite",
    "VM.GuestAgent.Unrestricted",
    "VM.Replicate",
  ]);
});

test.each([EIGHT, NINE])("%o: PVEAdmin has every privilege except those of administrators", (of) => {
  const missing = privilegesOfRelease(of).filter((privilege) => !builtInRoles(of).PVEAdmin?.includes(privilege));
  expect(missing).toEqual([
    "Mapping.Modify",
    "Permissions.Modify",
    "Realm.Allocate",
    "Sys.AccessNetwork",
    "Sys.Incoming",
    "Sys.Modify",
    "Sys.PowerMgmt",
  ]);
});

test("an auditor may query guest agents from Proxmox VE 9 on", () => {
  expect(builtInRoles(NINE).PVEAuditor).toContain("VM.GuestAgent.Audit");
  expect(builtInRoles(EIGHT).PVEAuditor).not.toContain("VM.Monitor");
});

test.each([EIGHT, NINE])("%o: the privileges of the lab's client exist in that release", (of) => {
  for (const privilege of deployerPrivileges(of)) expect(privilegesOfRelease(of)).toContain(privilege);
});
