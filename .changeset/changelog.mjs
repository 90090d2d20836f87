/**
 * Writes one entry of CHANGELOG.md per changeset, without commit hashes, which do not help partners.
 */
export default {
  async getReleaseLine({ summary }) {
    const [first, ...rest] = summary.trim().split('\n');
    return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n');
  },
  // The repository has a single package.
  async getDependencyReleaseLine() {
    return '';
  },
};
