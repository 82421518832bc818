// Loaded into a child process with --import: its watch runs a hundred times too fast, so that a wait of minutes that is in vain ends in seconds.
// Timers are as they were, and so are calls.
const now = performance.now.bind(performance);
performance.now = () => now() * 100;
