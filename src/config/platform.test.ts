import { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { loadConfig } from "./load.ts";
import type { ConfigPlatform } from "./platform.ts";
import { flag, section, text } from "./schema/value.ts";
import { changed, METAL, problems } from "./testing/config-in-memory.ts";

const shed = section("Where the boards are.", { door: text({ about: "Its door.", example: "left" }) });

/** Two platforms that nothing else in the program knows. */
const boards: ConfigPlatform = {
  name: "boards",
  about: "takes boards from a shed",
  talosPlatform: "metal",
  machines: { kind: "existing", image: "plug in a card" },
  network: "one",
  keys: { sections: { shed }, settings: { fan: flag({ about: "Whether it has a fan." }).optional() } },
  read: ({ draft }) => {
    const written = draft as { shed?: { door?: string } };
    return () => ({
      sections: { shed: { door: written.shed?.door } },
      pool: () => (node) => ({ ...node, installDisk: "/dev/mmcblk0" }),
    });
  },
};
const balloons: ConfigPlatform = { ...boards, name: "balloons", about: "ties machines to balloons", keys: {} };

function load(config: string, available = [boards, balloons]) {
  const own = (path: string) => path.endsWith("config.yaml");
  const files = {
    read: (path: string) => (own(path) ? Buffer.from(config) : undefined),
    stat: (path: string) => (own(path) ? { kind: "file", size: config.length } : undefined),
  };
  const world = { files, env: () => undefined } as unknown as World;
  return loadConfig({ available, planned: {} }, world, "environments/shed", new Redactor());
}

const ON_BOARDS = METAL.replace("platform: metal", "platform: boards\nshed: { door: left }");

test("a platform that is passed in brings its keys and its part of the finished config", () => {
  const { config } = load(ON_BOARDS);
  expect(config).toMatchObject({ platform: "boards", shed: { door: "left" } });
  expect(config.nodes.map(({ installDisk }) => installDisk)).toEqual(["/dev/mmcblk0", "/dev/mmcblk0", "/dev/mmcblk0"]);
});

test("a platform's required section is required only on that platform", () => {
  const without = ON_BOARDS.replace("shed: { door: left }\n", "");
  expect(() => load(without)).toThrow(/1 problem/);
  expect(load(without.replace("boards", "balloons")).config.platform).toBe("balloons");
});

test("a platform that is not passed in is unknown, and so are its keys", () => {
  expect(() => load(ON_BOARDS, [balloons])).toThrow(/2 problems/);
});

test("a key of another platform is refused once, whatever its value", () => {
  const wrong = { "    ip: 10.10.0.11": "    ip: 10.10.0.11\n    memory: lots\n    disks: [{ size: 1 }]\n    ssh: root" };
  expect(problems(changed(wrong, METAL)).map((problem) => problem.replace(/^\S+ /, ""))).toEqual([
    "nodes[0].memory describes a machine to create, but platform metal creates none",
    "nodes[0].disks describes a machine to create, but platform metal creates none",
    "nodes[0].ssh is for platform vps only",
  ]);
});
