/** How many cases a test with wide inputs tries: few for each commit, whose seed differs from the last one's, and many with FULL=1. */
export const runs = (perCommit: number, full = perCommit * 20): number => (process.env.FULL === undefined ? perCommit : full);
