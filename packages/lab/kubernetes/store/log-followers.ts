import type { Lab } from "../../kernel/kernel.ts";
import type { LogLine } from "../state.ts";

interface Follower {
  key: string;
  tell(line: LogLine): void;
  /** The container has ended: no more lines follow. */
  end(): void;
}

const followers = new WeakMap<Lab, Set<Follower>>();

export function followLog(lab: Lab, follower: Follower): () => void {
  const all = followers.get(lab) ?? new Set();
  followers.set(lab, all);
  all.add(follower);
  return () => all.delete(follower);
}

export function tellFollowers(lab: Lab, key: string, line: LogLine): void {
  for (const follower of followers.get(lab) ?? []) if (follower.key === key) follower.tell(line);
}

export function endFollowers(lab: Lab, key: string): void {
  for (const follower of [...(followers.get(lab) ?? [])]) if (follower.key === key) follower.end();
}
