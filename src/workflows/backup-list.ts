import type { Json } from "@talosmith/lib/json.ts";
import { isS3, type S3Wishes } from "@talosmith/lib/s3/target.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import { backupRecords, backupState } from "../environment/backup/records.ts";
import { environmentFolder } from "../environment/environment.ts";
import { listPlace } from "./backup-places.ts";

const COLUMNS = [
  { key: "at", title: "made" },
  { key: "size", title: "size", align: "right" as const },
  { key: "where", title: "where" },
];

/** `talosmith backup --list`: lists the backups of a folder from its own record; contacts no server. */
export async function listBackups({ world, bus }: Session, shown: string): Promise<number> {
  const folder = environmentFolder(world, shown);
  const rows = backupRecords(world.files, folder).map(({ at, size, where }) => {
    const gone = !isS3(where) && world.files.stat(where) === undefined;
    return { at, size: kib(size), where: gone ? `${where} (no longer there)` : where };
  });
  const state = backupState(world.files, folder);
  const footer = state.is === "old" ? [`changed since the last backup: ${state.changed.join(", ")}`] : [];
  show(bus, rows, `${shown} was never backed up`, footer);
  return 0;
}

/** `talosmith restore --list`: lists the backups in a folder or bucket. */
export async function listBackupsIn(session: Session & { redactor: Redactor }, place: string, s3: S3Wishes): Promise<number> {
  const found = await listPlace(session, place, s3);
  const rows = found.map(({ modifiedMs, size, shown }) => ({
    at: `${new Date(modifiedMs).toISOString().slice(0, 19)}Z`,
    size: kib(size),
    where: shown,
  }));
  show(session.bus, rows, `there is no backup in ${place}`, []);
  return 0;
}

const kib = (size: number) => `${Math.ceil(size / 1024)} KiB`;

function show(bus: Session["bus"], rows: Record<string, Json>[], empty: string, footer: string[]): void {
  bus.emit({ type: "result", result: { kind: "table", name: "backups", columns: COLUMNS, rows, empty, footer } });
}
