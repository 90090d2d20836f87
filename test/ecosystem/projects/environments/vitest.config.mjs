const environments = ['jsdom', 'happy-dom', 'edge-runtime'];

export default {
  test: {
    projects: environments.map((environment) => ({
      test: { name: environment, environment, include: ['*.test.mjs'] },
    })),
  },
};
