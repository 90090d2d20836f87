// Preloaded by tests: the process runs as a user to whom no file belongs.
process.geteuid = () => 4_000_000_000;
