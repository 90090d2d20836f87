// Fake timers are the same in every environment.
const files = {
  jsdom: ['payments.test.mjs', 'timers.test.mjs'],
  'happy-dom': ['payments.test.mjs'],
  'edge-runtime': ['payments.test.mjs'],
};

export default {
  test: {
    projects: Object.entries(files).map(([environment, include]) => ({
      test: { name: environment, environment, include },
    })),
  },
};
