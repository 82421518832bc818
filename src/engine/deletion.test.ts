import { expect, test } from "vitest";
import { type Deletion, deletionsIn, deletionWords, unlisted } from "./deletion.ts";
import type { Change } from "./step.ts";

const deletion = (slot: string, more: Partial<Deletion> = {}): Deletion => ({
  node: "worker-1",
  slot,
  volume: `local-lvm:${slot}`,
  ...more,
});
const change = (more: Partial<Change>): Change => ({ id: "s", step: "s", verb: "delete", subject: "a", fields: [], ...more });

test.each([
  [10 * 1024 ** 3, "10 GiB"],
  [1024 ** 2, "1 MiB"],
  [0, "0 MiB"],
  [undefined, "size unknown"],
])("a deleted volume of %s bytes is shown as %s, with its disk", (bytes, size) => {
  const one = deletion("scsi5", bytes === undefined ? {} : { bytes });
  expect(deletionWords(one)).toBe(`worker-1/scsi5: local-lvm:scsi5, ${size}`);
});

test("a volume that was not listed is found by its name, wherever it is attached now", () => {
  const [first, second] = [deletion("scsi0"), deletion("scsi1")];
  expect(unlisted([first], [first, second])).toBe(second);
  expect(unlisted([first, second], [second])).toBeUndefined();
  expect(unlisted([first], [{ ...first, slot: "virtio9" }])).toBeUndefined();
  expect(unlisted(undefined, [first])).toBe(first);
  expect(unlisted([first], undefined)).toBeUndefined();
});

test("the deletions of several changes are those of each of them", () => {
  const [first, second] = [deletion("scsi0"), deletion("scsi1")];
  expect(deletionsIn([change({ deletes: [first] }), change({}), change({ deletes: [second] })])).toEqual([first, second]);
});
