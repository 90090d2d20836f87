// Preloaded with --import: the version of Node is one that the package does not support.
const node = process.env['TEST_NODE_VERSION'] ?? '20.19.0';
Object.defineProperty(process, 'versions', { value: { ...process.versions, node } });
