import { expect, test } from "vitest";
import { type KeptDoor, keepDoors } from "./doors.ts";

const door = (last: number, key = "first"): KeptDoor => ({ service: "toy", host: `127.80.1.${last}`, port: 80, key });

/** Doors that open and close with a delay, and the set of open ones. */
function street() {
  const open = new Map<string, string>();
  const doors = keepDoors(
    async ({ host, port, key }) => {
      await Promise.resolve();
      open.set(host, key);
      return {
        host,
        port,
        close: async () => {
          await Promise.resolve();
          open.delete(host);
        },
      };
    },
    (error) => {
      throw error;
    },
  );
  return { open, doors };
}

const moments = async (count: number) => {
  for (let n = 0; n < count; n++) await Promise.resolve();
};

test("the open doors are those last requested, whenever the request changes", async () => {
  for (let moment = 0; moment < 40; moment++) {
    const { open, doors } = street();
    doors.want([door(1), door(2)]);
    await moments(moment);
    doors.want([door(2, "second"), door(3)]);
    await moments(100);
    expect([moment, ...open].flat().sort()).toEqual([moment, "127.80.1.2", "second", "127.80.1.3", "first"].sort());
    doors.want([door(3), door(2, "second")]);
    await moments(moment);
    doors.want([door(4)]);
    await moments(100);
    expect([moment, ...open.keys()]).toEqual([moment, "127.80.1.4"]);
    await doors.close();
    expect(open.size).toBe(0);
  }
});
