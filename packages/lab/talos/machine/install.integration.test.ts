import { afterEach, expect, test } from "vitest";
import { TalosBench } from "../testing/bench.ts";
import { type Main, TestCluster } from "../testing/configs.ts";

let bench: TalosBench;
afterEach(() => bench.close());

const cluster = new TestCluster("test", "https://10.10.0.5:6443");

/** A metal machine with a small and a large disk, and a config. */
async function applied(change: (main: Main) => void, more: object[] = [], talos = "v1.13.9") {
  bench = await TalosBench.open({ metal: [{ name: "rack-1", address: 31, talos, diskGiB: 20, moreDisksGiB: [200] }] });
  await bench.apply(bench.lab.address.host(31), cluster.config("controlplane", "rack-1", more, change));
}

const machine = () => Object.values(bench.state.machines)[0];
const installation = () => machine()?.boot?.events.filter(({ what }) => what.kind === "sequence" && what.sequence === "install");

test.each([
  ["a path", { disk: "/dev/sdb" }],
  ["a selector", { diskSelector: { size: ">= 100GB", model: "LAB*" } }],
])("a machine installs itself to the disk given by %s, and boots from it", async (_, install) => {
  await applied((main) => {
    main.machine.install = { ...install, image: main.machine.install.image };
  });
  await bench.eventually(() => expect(machine()?.boot?.disk).toBe("metal rack-1 sdb"));
});

test("from 1.14 on a document can select the disk by an expression", async () => {
  const provisioning = { diskSelector: { match: 'disk.serial == "S-rack-1-sdb" && disk.size > 50u * GiB' } };
  const installer = {
    image: "factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.14.1",
  };
  await applied(
    (main) => {
      delete main.machine.install;
      main.cluster.secretboxEncryptionSecret = cluster.secret;
    },
    [{ apiVersion: "v1alpha1", kind: "UnattendedInstallConfig", installer, provisioning }],
    "v1.14.1",
  );
  await bench.eventually(() => expect(machine()?.boot?.disk).toBe("metal rack-1 sdb"));
});

// v1alpha1_sequencer_tasks.go of 1.13.9: the path is resolved with EvalSymlinks.
test("a missing disk fails the installation, and the machine starts over", async () => {
  await applied((main) => {
    main.machine.install.disk = "/dev/nvme0n1";
  });
  await bench.eventually(() => expect(machine()?.boot).toMatchObject({ number: 2, stage: "maintenance" }));
  expect(bench.state.disks["metal rack-1 sda"]?.system).toBeUndefined();
});

test("the reason of a failed installation is in its events and in the kernel log", async () => {
  bench = await TalosBench.open({ metal: [{ name: "rack-1", address: 31, talos: "v1.13.9" }], timeScale: 100 });
  const config = cluster.config("controlplane", "rack-1", [], (main) => {
    main.machine.install.disk = "/dev/nvme0n1";
  });
  await bench.apply(bench.lab.address.host(31), config);
  const failure = await bench.eventually(() => {
    const found = installation()?.find(({ what }) => what.kind === "sequence" && what.error);
    if (!found) throw new Error("it has not failed yet");
    return found.what;
  });
  expect(JSON.stringify(failure)).toContain("lstat /dev/nvme0n1: no such file or directory");
  expect(machine()?.boot?.kernelLog.join("\n")).toContain("lstat /dev/nvme0n1: no such file or directory");
});
