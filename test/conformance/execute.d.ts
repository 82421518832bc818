export function execute(
  command: string,
  args: readonly string[],
  options?: { input?: string; cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<string>;
export function version(command: string, ...args: string[]): Promise<string | undefined>;
