// Loaded into a child process with --import: its standard output passes for a terminal with COLUMNS columns.
const size = { isTTY: true, columns: Number(process.env.COLUMNS), rows: 24 };
for (const [name, value] of Object.entries(size)) Object.defineProperty(process.stdout, name, { value });
