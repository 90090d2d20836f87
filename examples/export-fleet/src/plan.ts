import { Corridor } from 'corridor-sdk';
import { openDatabase, openQueue, queueName } from './queue.ts';

// Splits an export into spans, and adds them to the queue. Run it once: node src/plan.ts 2026-01-01T00:00Z
const [createdFrom, spanSize = '10000'] = process.argv.slice(2);

const pool = await openDatabase();
const boss = await openQueue();
const spans = await new Corridor().payments.planExport({ createdFrom }, { spanSize: Number(spanSize) });
await boss.insert(
  queueName,
  spans.map((span) => ({ data: { span } })),
);
console.log(`spans: ${spans.length}`);
await boss.stop();
await pool.end();
