const realTimeout = setTimeout;

/**
 * Fake timers of a runner or of sinon. A client of the mock needs no advance; one that waits in real time needs steps,
 * between which what takes real time, such as signing and the network, goes on.
 */
exports.defineTimerCases = ({
  test,
  expect,
  timers,
  name,
  Corridor,
  createMockPlatform,
  serveMockPlatform,
  SqliteMirror,
}) => {
  const within = async (work) => {
    timers.install();
    try {
      return await work();
    } finally {
      timers.uninstall();
    }
  };

  test(`${name}: a client of clientOptions() runs without an advance`, () =>
    within(async () => {
      const platform = createMockPlatform({ seed: 1 });
      const corridor = new Corridor(platform.clientOptions());
      platform.faults.next('payments.create', { kind: 'reset-after-commit' });
      expect(await corridor.payments.createOnce(platform.payments.createParams())).toMatchObject({ recovered: true });

      platform.faults.next('payments.list', { kind: 'rate-limit', retryAfterSeconds: 30 });
      expect(await corridor.payments.list().toArray()).toHaveLength(1);

      const [{ id }] = platform.payments.all();
      platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 1 } });
      const waited = await corridor.payments.waitForStatus(id, { until: ['PROCESSING'], maxWait: 3_600_000 });
      expect(waited.status).toBe('PROCESSING');

      const changes = [];
      for await (const { payment } of corridor.payments.changes({ once: true, since: '2020-01-01T00:00Z' }))
        changes.push(payment.id);
      expect(changes).toEqual([id]);

      const mirror = new SqliteMirror(':memory:');
      expect(await corridor.sync(mirror, { once: true })).toMatchObject({ filled: true });
      mirror.close();
    }));

  test(`${name}: a client that waits in real time runs while the timers advance in steps`, () =>
    within(async () => {
      const platform = createMockPlatform({ seed: 1 });
      const corridor = new Corridor(platform.clientOptions({ time: 'real' }));
      await expectRetries(corridor, platform);
    }));

  test(`${name}: so does a client of a served mock`, async () => {
    const served = await serveMockPlatform({ seed: 1 });
    await within(() => expectRetries(new Corridor(served.clientOptions()), served.platform));
    await served.close();
  });

  async function expectRetries(corridor, platform) {
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 20 });
    expect((await advanceUntil(corridor.crypto.networks())).length).toBeGreaterThan(0);
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const payment = advanceUntil(corridor.payments.createOnce(platform.payments.createParams()));
    expect(await payment).toMatchObject({ recovered: true });
    expect(platform.payments.all()).toHaveLength(1);
  }

  async function advanceUntil(call) {
    let isPending = true;
    const end = () => (isPending = false);
    Promise.resolve(call).then(end, end);
    while (isPending) {
      await new Promise((resolve) => realTimeout(resolve, 10));
      await timers.advance(250);
    }
    return call;
  }
};
