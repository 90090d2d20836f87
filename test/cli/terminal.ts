// Given to Node by --import: both streams say that a person is looking, as on a terminal of so many columns.
for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { isTTY: true, columns: Number(process.env['TEST_COLUMNS']) });
