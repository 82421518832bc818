import { expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { leftOver } from "./machine-configs.ts";

test("only patches that set the hostname of a removed node are removed; others are the user's own", () => {
  const files = new VolatileFiles();
  files.makeFolder("/e", 0o700);
  const put = (name: string, text: string) => files.write(`/e/${name}`, Buffer.from(text), 0o600);
  put("patch-worker-1.yaml", "kind: HostnameConfig\nhostname: worker-1\n");
  put("patch-worker-2.yaml", 'kind: HostnameConfig\nauto: "off"\nhostname: worker-2\n');
  put("patch-cilium.yaml", "cluster: { network: { cni: { name: none } } }\n");
  put("patch-worker-9.yaml", "kind: HostnameConfig\nhostname: worker-2\n");
  expect(leftOver(testWorld({ files }), "/e", new Set(["patch-worker-1.yaml"]))).toEqual(["patch-worker-2.yaml"]);
});
