/** Number of cases for a test with many possible inputs: few for each commit, whose seed differs from the last one's, and many with FULL=1. */
export const runs = (perCommit: number, full = perCommit * 20): number => (process.env.FULL === undefined ? perCommit : full);
