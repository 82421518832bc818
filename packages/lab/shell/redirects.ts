import type { Dialect } from "./dialect.ts";
import { expandText, type Scope } from "./expand.ts";
import { type Descriptors, type Ground, retained } from "./process.ts";
import { FileProblem, fromBytes, type OpenFile } from "./streams.ts";
import type { Redirect } from "./syntax.ts";

/** Applies them in the order they are written: `>f 2>&1` and `2>&1 >f` differ. Returns a complaint when one cannot be opened. */
export async function applyRedirects(
  redirects: readonly Redirect[],
  fds: Descriptors,
  { scope, open, dialect }: { scope: Scope; open: Ground["open"]; dialect: Dialect },
): Promise<string | undefined> {
  const put = (fd: number, file: OpenFile | undefined) => {
    fds.get(fd)?.release();
    if (file) fds.set(fd, file);
    else fds.delete(fd);
  };
  for (const redirect of redirects) {
    if (redirect.is === "given") {
      put(redirect.fd, fromBytes(Buffer.from(await expandText(scope, redirect.text))));
    } else if (redirect.is === "duplicate") {
      const of = await expandText(scope, redirect.of);
      const file = fds.get(Number(of));
      if (of !== "-" && !file) return `${of}: Bad file descriptor`;
      put(redirect.fd, of === "-" ? undefined : file?.retain());
    } else {
      const path = await expandText(scope, redirect.path);
      try {
        put(redirect.fd, await open(path, redirect.is));
      } catch (error) {
        if (error instanceof FileProblem) return dialect.notOpened(path, redirect.is, error.message);
        throw error;
      }
    }
  }
  return undefined;
}

/** Gives back the descriptors as they were before. */
export async function withRestored<T>(fds: Descriptors, work: () => Promise<T>): Promise<T> {
  const before = retained(fds);
  try {
    return await work();
  } finally {
    for (const file of fds.values()) file.release();
    fds.clear();
    for (const [fd, file] of before) fds.set(fd, file);
  }
}
