import { serveMockPlatform } from '../../dist/mock/node.js';

// Serves a mock with a beneficiary in a process of its own. Reports the processor time and the memory of that process.
const served = await serveMockPlatform({ control: true });
const { id: beneficiaryId } = served.platform.beneficiaries.add({ currencyCode: 'MXN' });

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ seconds: (user + system) / 1e6, memory: process.memoryUsage().rss });
});
process.send?.({ ...(await served.credentials()), beneficiaryId });
