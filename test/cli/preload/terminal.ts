// Preloaded with --import: both streams claim to be a terminal with a number of columns.
for (const stream of [process.stdout, process.stderr])
  Object.assign(stream, { isTTY: true, columns: Number(process.env['TEST_COLUMNS']) });
