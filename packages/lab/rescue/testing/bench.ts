import { realWorld } from "@talosmith/lib/world/real.ts";
import { type GptEntry, PARTITION_TYPES, SECTOR } from "../../factory/gpt.ts";
import { buildImage } from "../../factory/image.ts";
import { canonicalYaml, schematicId } from "../../factory/schematic.ts";
import { factoryService } from "../../factory/service.ts";
import { FACTORY, type FactoryState } from "../../factory/state.ts";
import type { RunningLab } from "../../kernel/kernel.ts";
import { createLab } from "../../kernel/lab.ts";
import { fromBytes, intoBytes } from "../../shell/streams.ts";
import { talosService } from "../../talos/service.ts";
import { type Machine, talosState } from "../../talos/state.ts";
import { readDisk, writeDisk } from "../disk/blocks.ts";
import { tableOf, writeTable } from "../disk/table.ts";
import { loginShell } from "../exec.ts";
import type { RescueHosts } from "../hosts.ts";
import { type RentedServer, rescueService } from "../service.ts";
import { type Server, type ServerDisk, serverNamed } from "../state.ts";
import { hostOf } from "../system/host.ts";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** A lab with rented servers whose first one is called "vps-1". */
export class RescueBench {
  readonly lab: RunningLab;

  private constructor(lab: RunningLab) {
    this.lab = lab;
  }

  static async start(...servers: Partial<RentedServer>[]): Promise<RescueBench> {
    const named = (servers.length > 0 ? servers : [{}]).map((server, index) => ({
      name: `vps-${index + 1}`,
      address: 11 + index,
      ...server,
    }));
    const services = [factoryService({ buildMs: 0 }), rescueService({ servers: named }), talosService()];
    const lab = await createLab(realWorld({ timeScale: 1 }), { seed: "rescue", timeScale: "instant", services });
    await lab.start();
    const bench = new RescueBench(lab);
    await bench.until(() => named.every(({ name }) => bench.server(name).linux));
    return bench;
  }

  server(name = "vps-1"): Server {
    const server = serverNamed(this.lab, name);
    if (!server) throw new Error(`no server ${name}`);
    return server;
  }

  disk(name = "vps-1"): ServerDisk {
    const [disk] = this.server(name).disks;
    if (!disk) throw new Error(`no disk in ${name}`);
    return disk;
  }

  get hosts(): RescueHosts {
    return this.lab.service<RescueHosts>("rescue");
  }

  machine(name = "vps-1"): Machine | undefined {
    return talosState(this.lab).machines[`vps ${name}`];
  }

  /** Runs a command line as a login does. */
  async run(line: string, stdin: string | Buffer = "", name = "vps-1"): Promise<Ran> {
    const [out, err] = [intoBytes(), intoBytes()];
    const files = new Map([
      [0, fromBytes(Buffer.from(stdin as string))],
      [1, out.file],
      [2, err.file],
    ]);
    const code = await loginShell(hostOf(this.lab, name), files, "198.51.100.7 40000 203.0.113.11 22").run(line);
    return { code, stdout: out.bytes().toString("utf8"), stderr: err.bytes().toString("utf8") };
  }

  /** A factory's image on the first disk, with these arguments for its kernel. */
  writeImage(kernelArgs: readonly string[], name = "vps-1", own: { arch?: string; secureBoot?: boolean } = {}): void {
    this.lab.turn(() => {
      const yaml = canonicalYaml({ customization: { extraKernelArgs: [...kernelArgs] } });
      const schematic = schematicId(yaml);
      this.lab.state<FactoryState>(FACTORY).schematics[schematic] = yaml;
      const image = buildImage("raw", {
        version: "v1.13.9",
        platform: "metal",
        arch: "amd64",
        secureBoot: false,
        schematic,
        ...own,
      });
      writeDisk(this.disk(name), 0, image);
    });
  }

  /** A partition at the end of the first disk. */
  addPartition(label: string, bytes: Buffer, name = "vps-1"): void {
    this.lab.turn(() => {
      const disk = this.disk(name);
      const table = tableOf(disk);
      const first = Math.floor(disk.bytes / SECTOR / 2048 - 2) * 2048;
      const entry: GptEntry = {
        index: 14,
        type: PARTITION_TYPES.linux,
        uuid: "0e6f9cf8-58f5-4a4e-8f6e-0c1a5c5d1e2f",
        first,
        last: first + 2047,
        name: label,
      };
      writeTable(disk, table?.disk ?? entry.uuid, [...(table?.entries ?? []).filter((one) => one.index !== 14), entry]);
      writeDisk(disk, first * SECTOR, bytes);
    });
  }

  bytes(offset: number, length: number, name = "vps-1"): Buffer {
    return readDisk(this.disk(name), offset, length);
  }

  /** As the button on its front does it. */
  reset(name = "vps-1"): void {
    this.lab.turn(() => this.hosts.reset(this.lab, name));
  }

  async until(holds: () => unknown): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      if (this.lab.turn(holds)) return;
      await this.lab.sleep(4_000);
    }
    throw new Error("it never came to pass");
  }

  /** Virtual time goes by. */
  async pass(seconds: number): Promise<void> {
    await this.lab.sleep(seconds * 1000);
    this.lab.settle();
  }
}

/** ISO 9660 without any extension: one file in the root, in capitals. */
export function plainIso(label: string, file: string, content: string): Buffer {
  const block = 2048;
  const bytes = Buffer.alloc(19 * block + Math.ceil(content.length / block) * block);
  const record = (name: string, at: number, length: number, flags: number) => {
    const out = Buffer.alloc(33 + name.length + ((name.length + 1) % 2));
    out[0] = out.length;
    out.writeUInt32LE(at, 2);
    out.writeUInt32BE(at, 6);
    out.writeUInt32LE(length, 10);
    out.writeUInt32BE(length, 14);
    out[25] = flags;
    out[32] = name.length;
    out.write(name, 33, "latin1");
    return out;
  };
  bytes.write("\x01CD001\x01", 16 * block, "latin1");
  bytes.write(label.padEnd(32), 16 * block + 40, "latin1");
  record("\0", 18, block, 2).copy(bytes, 16 * block + 156);
  bytes.write("\xffCD001\x01", 17 * block, "latin1");
  Buffer.concat([record("\0", 18, block, 2), record("\x01", 18, block, 2), record(file, 19, content.length, 0)]).copy(
    bytes,
    18 * block,
  );
  bytes.write(content, 19 * block, "utf8");
  return bytes;
}
