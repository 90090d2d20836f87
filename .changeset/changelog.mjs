/**
 * One entry of CHANGELOG.md per changeset, as it was written: hashes of commits tell a partner nothing.
 */
export default {
  async getReleaseLine({ summary }) {
    const [first, ...rest] = summary.trim().split('\n');
    return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n');
  },
  // The package stands alone: what it depends on is told by changesets of its own.
  async getDependencyReleaseLine() {
    return '';
  },
};
