import { realWorld } from "@talosmith/lib/world/real.ts";
import { expect, test } from "vitest";
import { createLab } from "../kernel/lab.ts";
import { sshService } from "./service.ts";

test("a host shows another key each time, and only a host that is there", async () => {
  const lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "ssh strikes",
    timeScale: "instant",
    services: [sshService()],
  });
  try {
    const shown = ["pve1", "pve1", "pve2"].map((host) => {
      lab.strike("host-key-changed", [host]);
      return lab.published().ssh?.fingerprint;
    });
    expect(shown[0]).toMatch(/^SHA256:/);
    expect(shown[1]).not.toBe(shown[0]);
    // What is published is the first host's.
    expect(shown[2]).toBe(shown[1]);
    expect(() => lab.strike("host-key-changed", ["pve9"])).toThrow("there is no host pve9");
  } finally {
    await lab.close();
  }
});
