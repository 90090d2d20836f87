// Preloaded with --import: stops the clock at TEST_NOW, in milliseconds since the epoch.
const now = Number(process.env['TEST_NOW']);
Date.now = () => now;
