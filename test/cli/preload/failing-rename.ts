import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

// Preloaded with --import: after the first one, as many renames fail as TEST_FAILING_RENAMES says, as on a full disk.
const { rename } = promises;
let count = 0;
promises.rename = (from, to) => {
  count += 1;
  return count > 1 && count <= 1 + Number(process.env['TEST_FAILING_RENAMES'])
    ? Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
    : rename(from, to);
};
syncBuiltinESMExports();
