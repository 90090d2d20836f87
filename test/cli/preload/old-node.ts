// Preloaded with --import: the version of Node is one that the package does not support.
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });
